package lint

import (
	"context"
	"strings"

	"github.com/compound-docs/compound-docs/internal/history"
	"github.com/compound-docs/compound-docs/internal/hooks/trigger"
	"github.com/compound-docs/compound-docs/internal/ownruns"
	"github.com/compound-docs/compound-docs/rag/said"
)

// checkTriggers finds mistakes in what documents declare of when they want to be heard: fields that cannot be read, triggers
// that cannot match or are too wide, and patterns that are like no file.
func (e *examination) checkTriggers(ctx context.Context) {
	commands := ownruns.Read(e.project.Root)
	files := e.tracked(ctx)
	for _, d := range e.set.Documents {
		for _, fault := range d.TriggerFaults {
			e.add(d, d.LineOfField(fault.Field), Error, "trigger", fault.String())
		}
		for _, doubt := range trigger.Doubts(d.Triggers, commands) {
			e.add(d, d.LineOfField(said.TriggersField), Warning, "trigger", doubt.String())
		}
		for _, t := range d.Triggers {
			if dead := trigger.DeadPatterns(t, files); len(dead) > 0 && len(files) > 0 {
				field := said.TriggersField
				if t.Scope != "" {
					field = t.Scope
				}
				e.add(d, d.LineOfField(field), Warning, "dead-pattern", strings.Join(dead, ", ")+" matches no file of the repository")
			}
		}
	}
}

// tracked returns the files of the repository, nothing without git.
func (e *examination) tracked(ctx context.Context) []string {
	folder, err := history.Open(e.project.Root)
	if err != nil {
		return nil
	}
	files, _ := folder.Tracked(ctx) // without git no pattern is called dead
	return files
}
