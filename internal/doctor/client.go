package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/claude"
)

// checkClient looks at how Claude Code starts the server in this project.
func checkClient(_ context.Context, e *examination) []Finding {
	found, err := claude.Find(e.Root)
	_, add := claude.AddCommand(claude.Program(), claude.Environment())
	switch {
	case errors.Is(err, fs.ErrNotExist) && !hasClaude():
		return one(Skipped, "Claude Code was not found; registrations of other clients are not looked at", "")
	case errors.Is(err, fs.ErrNotExist):
		return one(Warning, "Claude Code does not start the server in this project", "run in "+claude.Quote(e.Root)+": "+add)
	case err != nil:
		return one(Skipped, "the registration is not known: "+err.Error(), "")
	case found.Rejected:
		return one(Warning, fmt.Sprintf("the server of %s was turned down for this project", found.File),
			"run in "+claude.Quote(e.Root)+": claude mcp reset-project-choices")
	}
	expands := func(text string) bool { return strings.Contains(text, "${") }
	if _, err := exec.LookPath(found.Command); err != nil && !expands(found.Command) {
		return e.noProgram(found, err)
	}
	for _, name := range slices.Sorted(slices.Values(claude.Variables)) {
		value, given := found.Env[name]
		if given && !expands(value) && value != os.Getenv(name) {
			return one(Warning,
				fmt.Sprintf("%s gives the server another %s than this command has: these findings may not hold for it", found.File, name),
				"set "+name+" to the server's value, and run compound-docs doctor again")
		}
	}
	return one(OK, fmt.Sprintf("starts %s, as %s says (scope %s)", found.Command, found.File, found.Scope), "")
}

// noProgram says how to mend a registration of a program that cannot be started. The new
// registration names the program with its folder, and needs no PATH.
func (e *examination) noProgram(found claude.Registration, err error) []Finding {
	what := fmt.Sprintf("Claude Code starts %s, as %s says, and ", found.Command, found.File)
	if errors.Is(err, fs.ErrPermission) {
		return one(Error, what+"this user may not run it", command("chmod", "u+x", found.Command))
	}
	what += "there is no such program"
	_, add := claude.AddCommand(claude.Program(), claude.Environment())
	if found.Scope == claude.ScopeLocal || found.Scope == claude.ScopeUser { // those of other scopes give way to the new one
		add = claude.QuoteLine([]string{"claude", "mcp", "remove", "--scope", found.Scope, found.Name}) + "; " + add
	}
	return one(Error, what, "run in "+claude.Quote(e.Root)+": "+add)
}

func hasClaude() bool {
	if _, err := exec.LookPath("claude"); err == nil {
		return true
	}
	file, err := claude.ConfigFile()
	if err == nil {
		_, err = os.Stat(file)
	}
	return err == nil
}
