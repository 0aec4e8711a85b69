package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/setup/clients"
)

func checkClient(ctx context.Context, e *examination) []Finding {
	registered, err := clients.FindClaude(e.Root)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !clients.HasClaude():
		return one(Skipped, "Claude Code was not found; registrations of other clients are not looked at", "")
	case errors.Is(err, fs.ErrNotExist):
		return one(Warning, "Claude Code does not start the server in this project", e.registerAgain(registered))
	case err != nil:
		return one(Skipped, "the registration is not known: "+err.Error(), "")
	case registered.Rejected:
		return one(Warning, fmt.Sprintf("the server of %s was turned down for this project", registered.File),
			"run in "+clients.Quote(e.Root)+": claude mcp reset-project-choices")
	}
	expands := func(text string) bool { return strings.Contains(text, "${") }
	if _, err := exec.LookPath(registered.Command); err != nil && !expands(registered.Command) {
		return e.noProgram(registered, err)
	}
	if other := e.otherVersion(ctx, registered); other != "" {
		return one(Warning, fmt.Sprintf("Claude Code starts %s, as %s says, which is version %s: this is %s, and both write the index",
			registered.Command, registered.File, other, e.Version), e.registerAgain(registered))
	}
	for _, name := range slices.Sorted(slices.Values(clients.Variables)) {
		value, given := registered.Env[name]
		if given && !expands(value) && value != os.Getenv(name) {
			return one(Warning,
				fmt.Sprintf("%s gives the server another %s than this command: these findings may not hold for it", registered.File, name),
				"set "+name+" to the server's value, and run compound-docs doctor again")
		}
	}
	return one(OK, fmt.Sprintf("starts %s, as %s says (scope %s)", registered.Command, registered.File, registered.Scope), "")
}

// checkHooks says when a hook was last called in the project.
func checkHooks(_ context.Context, e *examination) []Finding {
	switch {
	case e.Settings.Recall == project.RecallOff:
		return one(Skipped, `"recall": "off" in settings.json: hooks say nothing`, "")
	case e.HookFired.IsZero():
		return one(Skipped, "no hook was ever called in this project: an assistant without hooks must search by itself", "")
	default:
		return one(OK, "a hook was last called in this project on "+e.HookFired.Format(time.DateOnly), "")
	}
}

// otherVersion returns the version of the program that the user's own settings start, or "" if it is this
// one. It runs no program that a repository names.
func (e *examination) otherVersion(ctx context.Context, registered clients.Registration) string {
	program := strings.TrimSuffix(filepath.Base(registered.Command), ".exe")
	if registered.Scope != clients.ScopeLocal && registered.Scope != clients.ScopeUser || program != clients.ServerName {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, registered.Command, "version").Output() //nolint:gosec // Claude Code runs it too
	version, ok := strings.CutPrefix(strings.TrimSpace(string(out)), clients.ServerName+" ")
	if err != nil || !ok || version == e.Version {
		return ""
	}
	return fmt.Sprintf("%.100s", version)
}

const versionTimeout = 5 * time.Second

// noProgram says how to mend a registration of a program that cannot be started.
func (e *examination) noProgram(registered clients.Registration, err error) []Finding {
	what := fmt.Sprintf("Claude Code starts %s, as %s says, and ", registered.Command, registered.File)
	if errors.Is(err, fs.ErrPermission) {
		return one(Error, what+"this user may not run it", command("chmod", "u+x", registered.Command))
	}
	return one(Error, what+"there is no such program", e.registerAgain(registered))
}

// registerAgain returns the remedy that registers this program, instead of another registration if there is one.
// The new registration has the program's absolute path, and needs no PATH.
func (e *examination) registerAgain(registered clients.Registration) string {
	_, add := clients.ClaudeCommand(clients.Program(), clients.Environment())
	if registered.Scope == clients.ScopeLocal || registered.Scope == clients.ScopeUser { // the new one wins over other scopes
		add = clients.QuoteLine([]string{"claude", "mcp", "remove", "--scope", registered.Scope, registered.Name}) + "; " + add
	}
	return "run in " + clients.Quote(e.Root) + ": " + add
}
