package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/watch"
)

func newIngestCommand(flags *flags) *cobra.Command {
	var source string
	command := &cobra.Command{
		Use:   "ingest --source DIR",
		Short: "Bring a folder of markdown into the handbook, for search_handbook",
		Long: `Bring a folder of markdown into the handbook, which search_handbook searches.

The handbook then holds what the folder holds: done again it takes in what has
changed and lets go of what is gone. Folders of different names add up.

A document's section is the "section" of its front matter, else the first folder
below DIR that it is in, else the name of its file.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return ingest(cmd.Context(), flags, source, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	command.Flags().StringVar(&source, "source", "", "folder of the markdown files")
	return command
}

func ingest(ctx context.Context, f *flags, source string, stdout, stderr io.Writer) (err error) {
	folder, err := handbookFolder(ctx, source)
	if err != nil {
		return err
	}
	s, err := f.setUp(stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	handbook, err := s.index.Handbook(ctx)
	if err != nil {
		return err
	}
	synced, err := watch.Sync(ctx, folder, s.index.Indexer(handbook, rag.Handbook, nil), showProgress(stderr, folder.Prefix))
	if err != nil {
		return err
	}
	printSynced(stdout, folder.Prefix, synced)
	if synced.Documents() == 0 {
		return fmt.Errorf("no file of %s could be indexed", folder.Dir)
	}
	queue := s.index.Queue(handbook, rag.Handbook)
	if err := queue.Drain(ctx, showProgress(stderr, "passages")); err != nil {
		return fmt.Errorf("the documents are in the handbook and not all have vectors; run the command again: %w", err)
	}
	printRefused(stdout, queue.Status())
	return nil
}

// handbookFolder is the folder at source, which has markdown in it: an empty one
// is more likely a wrong one, and would remove what the handbook has of that name.
func handbookFolder(ctx context.Context, source string) (watch.Folder, error) {
	if source == "" {
		return watch.Folder{}, errors.New(
			"--source is missing; give the folder of the handbook, as in `compound-docs ingest --source ./handbook`")
	}
	dir, err := filepath.Abs(source)
	if err != nil {
		return watch.Folder{}, fmt.Errorf("resolve source: %w", err)
	}
	folder := watch.Folder{
		Dir: dir, Prefix: filepath.Base(dir),
		Match: func(name string) bool { return strings.EqualFold(path.Ext(name), ".md") },
	}
	if dir == filepath.Dir(dir) {
		return watch.Folder{}, fmt.Errorf("%s has no name that its documents could be known by; give a folder in it", dir)
	}
	found, err := folder.Holds(ctx)
	if err != nil {
		return watch.Folder{}, err
	}
	if !found {
		return watch.Folder{}, fmt.Errorf("%s holds no markdown file (*.md); the handbook stays as it is", dir)
	}
	return folder, nil
}

// printRefused says which documents the model could not embed whole.
func printRefused(w io.Writer, status index.QueueStatus) {
	for _, failure := range status.Failed {
		fmt.Fprintf(w, "  %s: %s\n", failure.Path, rag.AsError(failure.Err))
	}
}

// printSynced says what became of the documents of a folder.
func printSynced(w io.Writer, name string, synced watch.SyncResult) {
	fmt.Fprintf(w, "%s: %d added, %d updated, %d removed, %d unchanged, %d failed\n",
		name, synced.Added, synced.Updated, synced.Removed, synced.Unchanged, len(synced.Failed))
	for _, failure := range synced.Failed {
		fmt.Fprintf(w, "  %s: %s\n", failure.Path, rag.AsError(failure.Err))
	}
}
