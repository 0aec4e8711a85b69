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

// tooling has the tools that a command calls.
type tooling struct {
	*setup

	workspace *workspace.Workspace
	caller    *tools.Caller
}

// withProject runs a command with the tools, on the project of the working directory or of
// --project. As in a server, the first call that needs the project activates it: its
// text is brought up to date, for 15 seconds at most, unless another process does so.
func withProject(flags *flags, run func(t *tooling, ctx context.Context) error) func(*cobra.Command, []string) error {
	return func(command *cobra.Command, args []string) error {
		return callTools(command, args, flags, findProject, func(ctx context.Context, t *tooling) error { return run(t, ctx) })
	}
}

// callTools is withProject with a function that finds the project. It may return "" if no
// project is needed.
func callTools(
	command *cobra.Command, args []string, flags *flags, find func(dir string) (string, error),
	run func(ctx context.Context, t *tooling) error,
) error {
	o, err := flags.resolve()
	if err != nil {
		return err
	}
	if !o.logLevelGiven {
		o.contentLogLevel = new(slog.LevelError) // the command itself prints the rest
	}
	return o.withSetup(command.ErrOrStderr(), func(s *setup) error {
		s.invocation = newInvocation(command, args)
		root, err := find(s.project)
		if err != nil {
			return err
		}
		t := s.tooling(root)
		defer t.workspace.Close()
		return inFlags(command, run(command.Context(), t))
	})
}

// tooling returns the tools, on the project at root. The caller closes the workspace.
func (s *setup) tooling(root string) *tooling {
	w := workspace.New(s.index, s.searcher, s.answerer, s.settings, root, s.logger)
	return &tooling{setup: s, workspace: w, caller: tools.NewCaller(w, s.home, s.logger)}
}

// hurry is for a command that is to be fast: no text is embedded meanwhile.
func (t *tooling) hurry() {
	t.database.Brief()
	t.workspace.Once()
}

// call calls a tool, decodes its answer into answer, and returns the answer's JSON.
func (t *tooling) call(ctx context.Context, tool string, arguments map[string]any, answer any) (json.RawMessage, error) {
	text, err := t.caller.Call(ctx, tool, arguments)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(text), answer); err != nil {
		return nil, fmt.Errorf("read the answer of %s: %w", tool, err)
	}
	return json.RawMessage(text), nil
}

// show calls a tool, and prints its answer: as it is for --json, and by people otherwise, for
// which it is decoded into answer.
func (t *tooling) show(
	ctx context.Context, tool string, arguments map[string]any, answer any, people func(w io.Writer),
) error {
	text, err := t.call(ctx, tool, arguments, answer)
	if err != nil {
		return err
	}
	return t.print(text, people)
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

// loadHere loads the project of [flags.here].
func (f *flags) loadHere() (*project.Project, error) {
	o, root, err := f.here()
	if err != nil {
		return nil, err
	}
	return project.Load(root, o.settings.ExternalDocsAllowed...)
}

// noProject finds no project, for commands that need none.
func noProject(string) (string, error) { return "", nil }
