package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/tools"
)

func newIndexCommand(flags *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "index DOCUMENT",
		Short: "Check, index and embed one document now",
		Long: `Check one document, and index and embed it now. If its front matter is not valid, the
error lists everything that is wrong with it, and the exit code is 1. The three documents that
are most like it are named, to extend, replace or keep them.

DOCUMENT is relative to the repository or to csharp-compounding-docs/, or absolute.`,
		Example:           "  compound-docs index problems/pool-exhausted-20260115.md",
		Args:              needs(1, 1, "the document", "compound-docs index problems/pool-exhausted-20260115.md"),
		RunE:              withProject(flags, (*tooling).indexDocument),
		ValidArgsFunction: completeMarkdown,
	}
}

func (t *tooling) indexDocument(ctx context.Context) error {
	path, err := documentPath(t.args[0])
	if err != nil {
		return err
	}
	var indexed tools.IndexDocumentOutput
	return t.show(ctx, "index_document", map[string]any{"path": path}, &indexed, func(w io.Writer) {
		s := plain.StyleFor(w)
		plain.Println(w, "indexed", plain.Path(indexed.Path))
		for _, near := range indexed.Neighbours {
			plain.Printf(w, "near %s:%d %s\n", plain.Path(near.Path), near.StartLine, s.Dim(near.Title))
		}
		if indexed.Message != "" {
			plain.Println(w, s.Dim(indexed.Message))
		}
	})
}

// completeMarkdown has a shell complete the first argument with markdown files.
func completeMarkdown(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []cobra.Completion{"md"}, cobra.ShellCompDirectiveFilterFileExt
}
