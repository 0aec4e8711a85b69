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
		return one(Warning, "Claude Code does not start the server in this project", "run in "+claude.Quote(e.Root)+": "+add,
			onlyWithClaude(ours("init", e.Root, "--client", "claude"))...)
	case err != nil:
		return one(Skipped, "the registration is not known: "+err.Error(), "")
	case found.Rejected:
		return one(Warning, fmt.Sprintf("the server of %s was turned down for this project", found.File),
			"run in "+claude.Quote(e.Root)+": claude mcp reset-project-choices",
			onlyWithClaude([]string{"claude", "mcp", "reset-project-choices"})...)
	}
	if until, file := claude.PluginPaused(); found.Scope == claude.ScopePlugin && file != "" {
		return one(Warning,
			"Claude Code could not start the plugin's server, and does not try again before "+until.Format(time.TimeOnly),
			"run: rm "+claude.Quote(file)+"; or choose Reconnect in /mcp", []string{"rm", file})
	}
	expands := func(text string) bool { return strings.Contains(text, "${") }
	if _, err := exec.LookPath(found.Command); err != nil && !expands(found.Command) {
		return e.noProgram(found, err)
	}
	for _, name := range slices.Sorted(slices.Values(claude.Variables)) {
		value, given := found.Env[name]
		if given && !expands(value) && value != os.Getenv(name) {
			return one(Warning,
				fmt.Sprintf("%s gives the server another %s than this command has: what is said here may not hold for it", found.File, name),
				"set "+name+" to the server's value, and run compound-docs doctor again")
		}
	}
	return one(OK, fmt.Sprintf("starts %s, as %s says (scope %s)", found.Command, found.File, found.Scope), "")
}

// noProgram says how to mend a registration of a program that cannot be started. One that
// names no folder needs the program on the PATH.
func (e *examination) noProgram(found claude.Registration, err error) []Finding {
	what := fmt.Sprintf("Claude Code starts %s, as %s says, and ", found.Command, found.File)
	if errors.Is(err, fs.ErrPermission) {
		return runs(Error, what+"this user may not run it", "chmod", "u+x", found.Command)
	}
	what += "there is no such program"
	program := claude.Program()
	if folder := linkFolder(); found.Command == claude.ServerName && folder != "" && filepath.Base(program) == claude.ServerName {
		return runs(Error, what+" on the PATH", "ln", "-s", program, filepath.Join(folder, claude.ServerName))
	}
	add, line := claude.AddCommand(program, claude.Environment())
	if found.Scope == claude.ScopeProject || found.Scope == claude.ScopePlugin { // the one that is added counts before it
		return one(Error, what, fmt.Sprintf("run in %s: %s", claude.Quote(e.Root), line), onlyWithClaude(add)...)
	}
	remove := []string{"claude", "mcp", "remove", "--scope", found.Scope, found.Name}
	return one(Error, what, fmt.Sprintf("run in %s: %s; %s", claude.Quote(e.Root), claude.QuoteLine(remove), line),
		onlyWithClaude(remove, add)...)
}

// linkFolder returns a folder of the user's own on the PATH that has no compound-docs, and "" if
// there is none.
func linkFolder() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		_, err := os.Lstat(filepath.Join(folder, claude.ServerName)) //nolint:gosec // only looked at
		if strings.HasPrefix(folder, home+string(filepath.Separator)) && writable(folder) && errors.Is(err, fs.ErrNotExist) {
			return folder
		}
	}
	return ""
}

// onlyWithClaude returns commands that need Claude Code's program, and none without it.
func onlyWithClaude(commands ...[]string) [][]string {
	if _, err := exec.LookPath("claude"); err != nil {
		return nil
	}
	return commands
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
