package main

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/plain"
)

func newIndexCommand(flags *flags) *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "index DOCUMENT",
		Short: "Check, index and embed one document now",
		Long: `Check one document, and index and embed it now. If its front matter is not valid, the
error lists everything that is wrong with it, and the exit code is 1. The three documents that
are most like it are named, to extend, replace or keep them.

DOCUMENT is relative to the repository or to csharp-compounding-docs/, or absolute.`,
		Example: "  compound-docs index problems/pool-exhausted-20260115.md",
		Args:    needs(1, 1, "the document", "compound-docs index problems/pool-exhausted-20260115.md"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withProject(cmd, flags, func(ctx context.Context, t *tooling) error {
				return t.indexDocument(ctx, args[0], asJSON)
			})
		},
		ValidArgsFunction: completeMarkdown,
	}
	addJSON(command, &asJSON)
	return command
}

func (t *tooling) indexDocument(ctx context.Context, given string, asJSON bool) error {
	path, err := documentPath(given)
	if err != nil {
		return err
	}
	var indexed struct {
		Path       string `json:"path"`
		Message    string `json:"message"`
		Neighbours []struct {
			Path      string `json:"path"`
			Title     string `json:"title"`
			StartLine int    `json:"start_line"`
		} `json:"neighbours"`
	}
	text, err := t.call(ctx, "index_document", map[string]any{"path": path}, &indexed)
	if err != nil {
		return err
	}
	if asJSON {
		return plain.JSON(t.stdout, json.RawMessage(text))
	}
	plain.Println(t.stdout, "indexed", plain.Path(indexed.Path))
	s := plain.StyleFor(t.stdout)
	for _, near := range indexed.Neighbours {
		plain.Printf(t.stdout, "near %s:%d %s\n", plain.Path(near.Path), near.StartLine, s.Dim(near.Title))
	}
	if indexed.Message != "" {
		plain.Println(t.stdout, s.Dim(indexed.Message))
	}
	return nil
}

// completeMarkdown has a shell complete the first argument with markdown files.
func completeMarkdown(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []cobra.Completion{"md"}, cobra.ShellCompDirectiveFilterFileExt
}
