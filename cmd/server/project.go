package main

import (
	"context"
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
	calls          *tools.Calls
	stdout, stderr io.Writer
}

// withProject runs f with the tools, on the project of the working directory or of
// --project. As in a server, the first call that needs the project activates it: its
// text is brought up to date, for 15 seconds at most, unless another process does so.
func withProject(command *cobra.Command, flags *flags, f func(ctx context.Context, t *tooling) error) error {
	return withTools(command, flags, findProject, f)
}

// withTools is withProject with the function that finds the project, which may return ""
// where none is needed.
func withTools(
	command *cobra.Command, flags *flags, find func(dir string) (string, error), f func(ctx context.Context, t *tooling) error,
) (err error) {
	o, err := flags.resolve()
	if err != nil {
		return err
	}
	if !o.logLevelGiven {
		o.contentLogLevel = new(slog.LevelError) // the command itself says the rest, for people
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
	w := workspace.New(s.index, s.searcher, s.settings, root, s.logger)
	defer w.Close()
	return inFlags(command, f(command.Context(), &tooling{
		setup: s, workspace: w, calls: tools.NewCalls(w, s.logger), stdout: command.OutOrStdout(), stderr: command.ErrOrStderr(),
	}))
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

// noProject is for what needs none.
func noProject(string) (string, error) { return "", nil }
