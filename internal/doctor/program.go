package doctor

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/compound-docs/compound-docs/internal/claude"
	"github.com/compound-docs/compound-docs/internal/project"
)

func checkProgram(_ context.Context, e *examination) []Finding {
	return one(OK, fmt.Sprintf("compound-docs %s, %s", e.Version, e.Program), "")
}

func checkSettings(_ context.Context, e *examination) []Finding {
	file := filepath.Join(e.Home, project.SettingsFile)
	if e.SettingsErr != nil {
		return one(Error, e.SettingsErr.Error(), fixFile(e.SettingsErr, file))
	}
	return one(OK, file+", or the defaults where it sets nothing", "")
}

// fixFile says how to mend a file that somebody wrote by hand.
func fixFile(err error, file string) string {
	problem, ok := errors.AsType[*project.ConfigError](err)
	if !ok {
		return "correct it"
	}
	if problem.Path != "" {
		file = problem.Path
	}
	if problem.Unreadable() {
		return fixAccess(file, problem.Hint)
	}
	return "run: ${EDITOR:-vi} " + claude.Quote(file) + " and correct it. " + problem.Hint
}
