package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/workspace"
)

func newReindexCommand(flags *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "reindex",
		Short: "Index a project's documents again from their files",
		Long: `Index the documents of a project again from their files.

The project is the one of the working directory, or of --project. Its index for
the branch that is checked out is emptied and filled again; until that is done,
answers lack what is still to come. Text that the present embedding model has
embedded before is not embedded again. After a change of the model the command is
not needed: a running server embeds all documents again by itself, and they are
found by their words meanwhile.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return reindex(cmd.Context(), flags, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
}

func reindex(ctx context.Context, f *flags, stdout, stderr io.Writer) (err error) {
	s, err := f.setUp(stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	root, err := findProject(s.project)
	if err != nil {
		return err
	}
	reindexed, err := workspace.New(s.index, s.searcher, s.settings, root, s.logger).
		Reindex(ctx, func(folder string) func(done, total int) { return showProgress(stderr, folder) })
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "reindexed %s on branch %s\n", reindexed.Tenant.Project, reindexed.Tenant.Branch)
	for _, folder := range reindexed.Folders {
		printSynced(stdout, folder.Name, folder.SyncResult)
	}
	return nil
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
			return "", fmt.Errorf("neither %s nor a folder above it has a %s/%s; run it in a project's repository, or give --project",
				start, project.ConfigDir, project.ConfigFile)
		}
	}
}
