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

func checkClient(_ context.Context, e *examination) []Finding {
	registered, err := claude.Find(e.Root)
	_, add := claude.AddCommand(claude.Program(), claude.Environment())
	switch {
	case errors.Is(err, fs.ErrNotExist) && !hasClaude():
		return one(Skipped, "Claude Code was not found; registrations of other clients are not looked at", "")
	case errors.Is(err, fs.ErrNotExist):
		return one(Warning, "Claude Code does not start the server in this project", "run in "+claude.Quote(e.Root)+": "+add)
	case err != nil:
		return one(Skipped, "the registration is not known: "+err.Error(), "")
	case registered.Rejected:
		return one(Warning, fmt.Sprintf("the server of %s was turned down for this project", registered.File),
			"run in "+claude.Quote(e.Root)+": claude mcp reset-project-choices")
	}
	expands := func(text string) bool { return strings.Contains(text, "${") }
	if _, err := exec.LookPath(registered.Command); err != nil && !expands(registered.Command) {
		return e.noProgram(registered, err)
	}
	for _, name := range slices.Sorted(slices.Values(claude.Variables)) {
		value, given := registered.Env[name]
		if given && !expands(value) && value != os.Getenv(name) {
			return one(Warning,
				fmt.Sprintf("%s gives the server another %s than this command: these findings may not hold for it", registered.File, name),
				"set "+name+" to the server's value, and run compound-docs doctor again")
		}
	}
	return one(OK, fmt.Sprintf("starts %s, as %s says (scope %s)", registered.Command, registered.File, registered.Scope), "")
}

// noProgram says how to mend a registration of a program that cannot be started. The new registration has
// the program's absolute path, and needs no PATH.
func (e *examination) noProgram(registered claude.Registration, err error) []Finding {
	what := fmt.Sprintf("Claude Code starts %s, as %s says, and ", registered.Command, registered.File)
	if errors.Is(err, fs.ErrPermission) {
		return one(Error, what+"this user may not run it", command("chmod", "u+x", registered.Command))
	}
	what += "there is no such program"
	_, add := claude.AddCommand(claude.Program(), claude.Environment())
	if registered.Scope == claude.ScopeLocal || registered.Scope == claude.ScopeUser { // the new one wins over other scopes
		add = claude.QuoteLine([]string{"claude", "mcp", "remove", "--scope", registered.Scope, registered.Name}) + "; " + add
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
