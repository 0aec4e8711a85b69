package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"

	"github.com/compound-docs/compound-docs/internal/claude"
	"github.com/compound-docs/compound-docs/internal/project"
)

func checkProgram(_ context.Context, e *examination) []Finding {
	return one(OK, fmt.Sprintf("compound-docs %s, %s", e.Version, e.Program), "")
}

func checkSettings(_ context.Context, e *examination) []Finding {
	file := settingsFile(e)
	if e.SettingsErr != nil {
		return fixFile(e.SettingsErr, file)
	}
	const others = 0o077
	info, err := os.Stat(file)
	if err == nil && info.Mode().Perm()&others != 0 && hasPassword(e.Settings.DatabaseURL) && runtime.GOOS != "windows" {
		return runs(Warning, "others can read the password of the database in "+file, "chmod", "600", file)
	}
	return one(OK, file+", or the defaults where it sets nothing", "")
}

func hasPassword(databaseURL string) bool {
	u, err := url.Parse(databaseURL)
	if err != nil || u.User == nil {
		return false
	}
	_, has := u.User.Password()
	return has
}

// fixFile says what is wrong with a file that somebody wrote by hand, and how to mend it.
func fixFile(err error, file string) []Finding {
	problem, ok := errors.AsType[*project.ConfigError](err)
	switch {
	case !ok:
		return one(Error, err.Error(), "correct it")
	case problem.Path != "":
		file = problem.Path
	}
	if problem.Unreadable() {
		return fixAccess(err.Error(), file, problem.Hint)
	}
	return one(Error, err.Error(), "run: ${EDITOR:-vi} "+claude.Quote(file)+" and correct it. "+problem.Hint)
}

func settingsFile(e *examination) string { return filepath.Join(e.Home, project.SettingsFile) }
