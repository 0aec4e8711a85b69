package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

func newAboutCommand(flags *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "about FILE[:LINES]",
		Short: "Find the documents that cite a file",
		Long: `Find the project's own documents that cite a file of the repository, or lines of it: read
them before an edit. A document cites what it names in files_involved, as code with a path,
as a path with lines, or as the target of a link. A folder means all of its files.

It reads the files and needs neither database nor Ollama. It ends with 0 if nothing cites
the file, and with 2 if there is no such file either.`,
		Example: `  compound-docs about internal/outbox/outbox.go
  compound-docs about internal/outbox/outbox.go:40-60
  compound-docs about internal/`,
		Args: needs(1, 1, "a file of the repository", "compound-docs about db/pool.go:40"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := flags.loadHere()
			if err != nil {
				return err
			}
			place, err := placeIn(p.Root, args[0])
			if err != nil {
				return err
			}
			found, err := documentsAbout(cmd.Context(), p, place)
			if err != nil {
				return err
			}
			if _, err := os.Stat(filepath.Join(p.Root, place.Path)); err != nil && len(found) == 0 {
				return usagef("there is no file %s in the repository, and no document cites it", place.Path)
			}
			return newInvocation(cmd, args).print(map[string]any{"documents": found}, func(w io.Writer) { printAbout(w, place, found) })
		},
	}
}

// aboutDocument is a document that cites a place.
type aboutDocument struct {
	Path           string        `json:"path"`
	Title          string        `json:"title"`
	PromotionLevel catalog.Level `json:"promotion_level"`
	// Cites are the cited places that match the question. Line is the line of the document
	// that cites the first of them, and 1 for a citation in the front matter.
	Cites []string `json:"cites"`
	Line  int      `json:"line"`
}

// documentsAbout returns the documents that cite a place, critical ones first.
func documentsAbout(ctx context.Context, p *project.Project, place document.Place) ([]aboutDocument, error) {
	set, err := docset.Read(ctx, p)
	if err != nil {
		return nil, err
	}
	found := []aboutDocument{}
	for _, d := range set.Documents {
		about := aboutDocument{Path: d.Path, Title: d.Title, PromotionLevel: d.Level}
		for _, cited := range d.Places {
			if !cited.Overlaps(place) || slices.Contains(about.Cites, cited.String()) {
				continue
			}
			if about.Cites = append(about.Cites, cited.String()); about.Line == 0 {
				about.Line = max(cited.Line, 1)
			}
		}
		if len(about.Cites) > 0 {
			found = append(found, about)
		}
	}
	slices.SortStableFunc(found, func(a, b aboutDocument) int {
		return slices.Index(catalog.Levels(), b.PromotionLevel) - slices.Index(catalog.Levels(), a.PromotionLevel)
	})
	return found, nil
}

func printAbout(w io.Writer, place document.Place, found []aboutDocument) {
	s := plain.StyleFor(w)
	if len(found) == 0 {
		plain.Printf(w, "No document cites %s.\n", place)
	}
	for _, d := range found {
		level := plain.Marked("")
		if d.PromotionLevel != catalog.Standard {
			level = " " + s.Yellow(string(d.PromotionLevel))
		}
		plain.Printf(w, "%s%s\n  %s:%d %s\n", d.Title, level, plain.Path(d.Path), d.Line, s.Dim("cites "+strings.Join(d.Cites, ", ")))
	}
}
