package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/watch"
)

func newIngestCommand(flags *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "ingest DIR",
		Short: "Bring a folder of markdown into the handbook, for search_handbook",
		Long: `Bring a folder of markdown into the handbook, which search_handbook searches.

Run it again after a change: the handbook then holds what the folder holds. Folders of
different names add up. A document's section is the "section" of its front matter, else
the first folder below DIR that it is in, else the name of its file.`,
		Example: "  compound-docs ingest ./handbook",
		Args:    needs(1, 1, "the folder of the handbook", "compound-docs ingest ./handbook"),
		RunE:    withSetup(flags, (*setup).ingest),
	}
}

func (s *setup) ingest() error {
	ctx := s.command.Context()
	folder, err := handbookFolder(ctx, s.args[0])
	if err != nil {
		return err
	}
	handbook, err := s.index.Handbook(ctx)
	if err != nil {
		return err
	}
	indexer := s.index.Indexer(handbook, catalog.Handbook, nil)
	ready := func() error { return nil } // no branch of git matters
	synced, err := watch.Sync(ctx, folder, indexer, ready, showProgress(s.stderr, folder.Prefix))
	if err != nil {
		return err
	}
	out := syncedFolder{
		Folder: folder.Prefix, Added: synced.Added, Updated: synced.Updated, Removed: synced.Removed, Unchanged: synced.Unchanged,
		Failed: failures(synced.Failed),
	}
	if !s.json {
		out.print(s.stdout)
	}
	if synced.Added+synced.Updated+synced.Unchanged == 0 {
		return fmt.Errorf("no file of %s could be indexed", folder.Dir)
	}
	queue := s.index.Queue(handbook, catalog.Handbook)
	err = queue.Drain(ctx, showProgress(s.stderr, "passages"))
	if err != nil && !vectorsFollow(err) {
		return fmt.Errorf("embed the handbook: %w; run the command again", err)
	}
	if err != nil {
		s.notef("the handbook is searched by words until the command is run with a model server: %s",
			apierror.In(err, wordsOf(s.command)))
	}
	refused := failures(queue.Status().Failed)
	out.Failed = append(out.Failed, refused...)
	return s.print(out, func(w io.Writer) { printFailures(w, refused) })
}

// handbookFolder returns the folder called name. It refuses a folder without markdown, because a mistake in the name
// would then remove all pages of the handbook.
func handbookFolder(ctx context.Context, name string) (watch.Folder, error) {
	dir, err := filepath.Abs(name)
	if err != nil {
		return watch.Folder{}, fmt.Errorf("resolve %s: %w", name, err)
	}
	folder := watch.Folder{
		Dir: dir, Prefix: filepath.Base(dir),
		Match: func(name string) bool { return strings.EqualFold(path.Ext(name), ".md") },
	}
	if dir == filepath.Dir(dir) {
		return watch.Folder{}, usagef("%s is the root of a disk, and has no name; give a folder in it", dir)
	}
	holds, err := folder.Holds(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return watch.Folder{}, usagef("%w; give the folder of the handbook", err)
	}
	if err != nil {
		return watch.Folder{}, err
	}
	if !holds {
		return watch.Folder{}, usagef("%s holds no markdown file (*.md); the handbook stays as it is", dir)
	}
	return folder, nil
}

// syncedFolder counts what happened to the documents of a folder, for --json.
type syncedFolder struct {
	Folder    string       `json:"folder"`
	Added     int          `json:"added"`
	Updated   int          `json:"updated"`
	Removed   int          `json:"removed"`
	Unchanged int          `json:"unchanged"`
	Failed    []failedFile `json:"failed"`
}

// failedFile is a document that cannot be indexed, or a document with a passage that the model refuses to embed.
type failedFile struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

func failures(failed []document.Failure) []failedFile {
	files := make([]failedFile, 0, len(failed))
	for _, failure := range failed {
		files = append(files, failedFile{failure.Path, apierror.AsError(failure.Err).Error()})
	}
	return files
}

func (f syncedFolder) print(w io.Writer) {
	plain.Printf(w, "%s: %d added, %d updated, %d removed, %d unchanged, %d failed\n",
		f.Folder, f.Added, f.Updated, f.Removed, f.Unchanged, len(f.Failed))
	printFailures(w, f.Failed)
}

func printFailures(w io.Writer, failed []failedFile) {
	for _, file := range failed {
		plain.Printf(w, "  %s: %s\n", plain.Path(file.Path), file.Reason)
	}
}
