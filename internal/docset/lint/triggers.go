package lint

import (
	"strings"

	"github.com/compound-docs/compound-docs/internal/hooks/trigger"
	"github.com/compound-docs/compound-docs/internal/ownruns"
	"github.com/compound-docs/compound-docs/rag/said"
)

// checkTriggers finds mistakes in the triggers of documents. A trigger says at which act hooks show the document. It
// may be unreadable, may never match, may be too wide, or may have a pattern that matches no file that git tracks.
func (e *examination) checkTriggers(files []string) {
	commands := ownruns.Read(e.project.Root)
	for _, d := range e.set.Documents {
		for _, fault := range d.TriggerFaults {
			e.add(d, d.LineOfField(fault.Field), Error, "trigger", fault.String())
		}
		for _, doubt := range trigger.Doubts(d.Triggers, commands) {
			e.add(d, d.LineOfField(said.TriggersField), Warning, "trigger", doubt)
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
