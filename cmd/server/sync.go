package main

import (
	"cmp"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/tools"
)

func newSyncCommand(flags *flags) *cobra.Command {
	var force bool
	command := &cobra.Command{
		Use:   "sync [DOCUMENT...]",
		Short: "Bring the index of the project up to date, vectors included",
		Long: `Bring the index of the project's present branch up to date with its files, and wait until
every passage has a vector. If a server indexes the project, the command waits for that one.

With documents, relative to the repository or to csharp-compounding-docs/, or absolute, it checks,
indexes and embeds only these. It names up to three documents near each one, to extend, replace
or keep them.

With --force it indexes every document of the branch again from its file, for an index that
somebody has changed in the database. Vectors stay.

It ends with 1 if the model refuses a passage, or if a document that you named is not valid, and
with 0 if no server makes vectors: words find the documents until then.`,
		Example: `  compound-docs sync
  compound-docs sync problems/db-pool-exhaustion-20250115.md
  compound-docs sync --force`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if force && len(args) > 0 {
				return usagef("--force indexes the whole project; leave out --force or the documents")
			}
			if len(args) > 0 {
				return withProject(flags, (*tooling).syncDocuments)(cmd, args)
			}
			return withProject(flags, func(t *tooling) error { return t.sync(force) })(cmd, args)
		},
	}
	command.Flags().BoolVar(&force, "force", false, "index every document again")
	return command
}

func (t *tooling) sync(force bool) error {
	ctx := t.command.Context()
	if force {
		err := t.workspace.Reindex(ctx, func(folder string) func(done, total int) { return showProgress(t.stderr, folder) })
		if err != nil && !vectorsFollow(err) {
			return err
		}
	}
	progress := &syncProgress{files: showProgress(t.stderr, "files"), passages: showProgress(t.stderr, "passages")}
	synced, err := t.tools.Sync(ctx, progress.show)
	if synced == nil || ctx.Err() != nil { // what is done stays, and the next sync does the rest
		return cmp.Or(err, ctx.Err())
	}
	if vectorsFollow(err) {
		t.notef("%s", apierror.In(err, wordsOf(t.command)))
		err = nil
	}
	return errors.Join(t.print(synced, func(w io.Writer) { printSynced(w, synced) }), err)
}

// vectorsFollow reports whether vectors are missing only because no model server makes them now. Until a server makes
// them, searches find the documents by words.
func vectorsFollow(err error) bool {
	_, away := errors.AsType[*model.UnavailableError](err)
	_, missing := errors.AsType[*model.MissingError](err)
	return away || missing
}

// syncProgress prints how far a sync is. The total in a status becomes smaller when a folder is done, so syncProgress
// keeps the largest total. It prints passages only after all files are synced.
type syncProgress struct {
	files, passages func(done, total int)

	total          int  // largest number of changed files so far
	needsEmbedding bool // at least one passage lacked a vector
}

func (p *syncProgress) show(status workspace.IndexStatus) {
	p.total = max(p.total, status.Total)
	if done := p.total - (status.Total - status.Done); done > 0 {
		p.files(done, p.total)
	}
	if status.Pending() > 0 || status.Counting {
		return
	}
	p.needsEmbedding = p.needsEmbedding || status.Embedding > 0
	if p.needsEmbedding && !status.Synced.IsZero() { // before the end of the sync, the number of passages may still grow
		p.passages(max(0, status.Passages-status.Embedding), status.Passages)
	}
}

func printSynced(w io.Writer, s *tools.ActivateProjectOutput) {
	plain.Printf(w, "%s on branch %s: %s in the index\n", s.ProjectName, s.BranchName, plain.Count(s.TotalDocs, "document"))
	if s.Index == nil {
		return
	}
	if s.Index.Embedding > 0 {
		plain.Printf(w, "  %s without a vector\n", plain.Count(s.Index.Embedding, "passage"))
	}
	for _, failed := range s.Index.Failed {
		plain.Printf(w, "  %s: %s\n", plain.Path(failed.Path), failed.Reason)
	}
	if more := s.Index.FailedCount - len(s.Index.Failed); more > 0 {
		plain.Printf(w, "  and %s more that cannot be indexed\n", plain.Count(more, "file"))
	}
}

// syncDocuments indexes the documents that the arguments name. It stops at the first document that fails.
func (t *tooling) syncDocuments() error {
	synced := []tools.IndexDocumentOutput{}
	for _, given := range t.args {
		path, err := documentPath(given)
		if err != nil {
			return err
		}
		document, err := t.tools.IndexDocument(t.command.Context(), tools.IndexDocumentInput{Path: path})
		if err != nil {
			return err
		}
		synced = append(synced, document)
		if !t.json {
			printIndexed(t.stdout, document)
		}
	}
	return t.print(map[string]any{"documents": synced}, func(io.Writer) {}) // without --json, each document is already printed
}

func printIndexed(w io.Writer, document tools.IndexDocumentOutput) {
	s := plain.StyleFor(w)
	plain.Println(w, "indexed", plain.Path(document.Path))
	for _, warning := range document.Warnings {
		plain.Printf(w, "  %s\n", s.Yellow(plain.Line(warning)))
	}
	for _, near := range document.Neighbours {
		plain.Printf(w, "near %s:%d %s\n", plain.Path(near.Path), near.StartLine, s.Dim(near.Title))
		if near.Status != "" {
			plain.Printf(w, "  %s\n", s.Yellow(near.Status))
		}
	}
	if document.Message != "" {
		plain.Println(w, s.Dim(document.Message))
	}
}
