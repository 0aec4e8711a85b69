package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/tools"
)

// tooling has the tools that a command calls, and its output.
type tooling struct {
	*setup

	workspace      *workspace.Workspace
	caller         *tools.Caller
	stdout, stderr io.Writer
}

// withProject runs f with the tools, on the project of the working directory or of
// --project. As in a server, the first call that needs the project activates it: its
// text is brought up to date, for 15 seconds at most, unless another process does so.
func withProject(command *cobra.Command, flags *flags, f func(ctx context.Context, t *tooling) error) error {
	return withTools(command, flags, findProject, f)
}

// withProjectOnce is withProject for a command that is to be fast: no text is embedded
// meanwhile.
func withProjectOnce(command *cobra.Command, flags *flags, f func(ctx context.Context, t *tooling) error) error {
	return withTools(command, flags, findProject, func(ctx context.Context, t *tooling) error {
		t.database.Brief()
		t.workspace.Once()
		return f(ctx, t)
	})
}

// withTools is withProject with a function that finds the project. It may return "" if no
// project is needed.
func withTools(
	command *cobra.Command, flags *flags, find func(dir string) (string, error), f func(ctx context.Context, t *tooling) error,
) (err error) {
	o, err := flags.resolve()
	if err != nil {
		return err
	}
	if !o.logLevelGiven {
		o.contentLogLevel = new(slog.LevelError) // the command itself prints the rest
	}
	s, err := newSetup(o, command.ErrOrStderr())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	root, err := find(s.project)
	if err != nil {
		return err
	}
	w := workspace.New(s.index, s.searcher, s.answerer, s.settings, root, s.logger)
	defer w.Close()
	return inFlags(command, f(command.Context(), &tooling{
		setup: s, workspace: w, caller: tools.NewCaller(w, o.home, s.logger),
		stdout: command.OutOrStdout(), stderr: command.ErrOrStderr(),
	}))
}

// call calls a tool, decodes its answer into answer, and returns the answer's text.
func (t *tooling) call(ctx context.Context, tool string, arguments map[string]any, answer any) (text string, err error) {
	text, err = t.caller.Call(ctx, tool, arguments)
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal([]byte(text), answer); err != nil {
		return "", fmt.Errorf("read the answer of %s: %w", tool, err)
	}
	return text, nil
}

// findProject returns the nearest folder with a project's config, from dir
// upwards; "" stands for the working directory.
func findProject(dir string) (string, error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find project: %w", err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		_, err := os.Stat(filepath.Join(dir, project.ConfigDir, project.ConfigFile))
		switch {
		case err == nil:
			return dir, nil
		case !errors.Is(err, os.ErrNotExist) || dir == filepath.Dir(dir):
			return "", usagef("neither %s nor a folder above it has a %s/%s; run it in a project's repository, or give --project; "+
				"`compound-docs init` prepares a repository", start, project.ConfigDir, project.ConfigFile)
		}
	}
}

// here returns the options, and the root of the project that a command works on without
// the index: that of the working directory or of --project.
func (f *flags) here() (o options, root string, err error) {
	if o, err = f.resolve(); err != nil {
		return o, "", err
	}
	root, err = findProject(o.project)
	return o, root, err
}

// noProject finds no project, for commands that need none.
func noProject(string) (string, error) { return "", nil }
