package main

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/codename"
	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/docset/lint"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/history"
	"github.com/compound-docs/compound-docs/internal/hooks/trigger"
	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

func newAboutCommand(flags *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "about FILE[:LINES]",
		Short: "Find the documents about a file",
		Long: `Find the project's own documents that cite a file of the repository, or lines of it, or name
what it defines, such as a function. A folder means all of its files.

It needs neither database nor Ollama. It ends with 0 if nothing cites the file, and with 2 if
there is no such file either.`,
		Example: `  compound-docs about internal/outbox/outbox.go
  compound-docs about internal/outbox/outbox.go:40-60
  compound-docs about internal/`,
		Args: needs(1, 1, "a file of the repository", "compound-docs about db/pool.go:40"),
		RunE: flags.run(invocation.about),
	}
}

func (i invocation) about() error {
	p, err := i.loadHere()
	if err != nil {
		return err
	}
	place, err := placeIn(p.Root, i.args[0])
	if err != nil {
		return err
	}
	citing, err := documentsCiting(i.command.Context(), p, place)
	if err != nil {
		return err
	}
	root, err := contain.Open(p.Root)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // the folder is only read, so a failed Close loses nothing
	if len(citing) == 0 && !root.Exists(strings.TrimSuffix(place.Path, "/")) {
		return usagef("there is no file %s in the repository, and no document cites it", place.Path)
	}
	return i.print(map[string]any{"documents": citing}, func(w io.Writer) { printCiting(w, place, citing) })
}

// citingDocument is a document about a file. Either it cites the file or a place in the file, or it names a definition
// in the file, or its scope matches the file. A scope is a pattern of paths.
type citingDocument struct {
	Path           string        `json:"path"`
	Title          string        `json:"title"`
	PromotionLevel catalog.Level `json:"promotion_level"`
	// Status says why a reader must not rely on the document alone, such as "superseded by ./b.md", or is "".
	Status string `json:"status,omitempty"`
	// Cites are the cited places that match, and Line is the line of the document that cites the first of them. If
	// Cites is empty, Line is the line that has Names. If the document has only a Scope, Line is 1.
	Cites []string `json:"cites"`
	Line  int      `json:"line"`
	// Names is a definition in the file, such as a function, that the document names. Scope is a pattern of paths that
	// matches the file.
	Names string `json:"names,omitempty"`
	Scope string `json:"scope,omitempty"`

	holds bool
}

// documentsCiting returns the documents about the file place.Path; see citingDocument. Documents in force come before
// superseded, rejected and expired documents. In both groups a higher promotion level comes first.
func documentsCiting(ctx context.Context, p *project.Project, place document.Place) ([]citingDocument, error) {
	set, err := docset.Read(ctx, p)
	if err != nil {
		return nil, err
	}
	standings := set.Standings()
	today := catalog.Today()
	all := []citingDocument{}
	documents := lint.CitingDocuments(set)
	changes, _ := history.NewPlaceChecker(p.Root).Check(ctx, documents) // without git's history no file counts as moved
	sources := workspace.Sources{Root: p.Root, Moved: func(context.Context) map[string]string {
		return history.MovedPaths(documents, changes)
	}}
	cites, named := sources.Citing(ctx, place), namesIn(set, place.Path, sources.Text(place.Path))
	for at, d := range set.Documents {
		standing := standings.Of(d.Path, today)
		citing := citingDocument{
			Path: d.Path, Title: d.Title, PromotionLevel: d.Level, Status: standing.Mark(), holds: standing.Holds(),
			Cites: []string{}, Names: named[at],
		}
		for _, cited := range d.Places {
			if !cites(cited.Place) || slices.Contains(citing.Cites, cited.String()) {
				continue
			}
			if len(citing.Cites) == 0 {
				citing.Line = max(cited.Line, 1)
			}
			citing.Cites = append(citing.Cites, cited.String())
		}
		isTarget := func(target docset.Target) bool { return target.Document != nil && target.Document.Path == place.Path }
		if len(citing.Cites) == 0 && d.Path != place.Path && slices.ContainsFunc(d.Targets, isTarget) {
			citing.Cites, citing.Line = []string{place.Path}, d.LineOf(place.Path)
		}
		if len(citing.Cites) == 0 && citing.Names != "" {
			citing.Line = d.LineOf(citing.Names)
		}
		var triggers trigger.Set
		triggers.Add(at, d.Triggers)
		for _, m := range triggers.Scopes(place.Path) {
			citing.Scope, citing.Line = m.Text, max(citing.Line, 1)
		}
		if citing.Line > 0 {
			all = append(all, citing)
		}
	}
	slices.SortStableFunc(all, func(a, b citingDocument) int {
		if a.holds != b.holds {
			return map[bool]int{true: -1, false: 1}[a.holds]
		}
		return slices.Index(catalog.Levels(), b.PromotionLevel) - slices.Index(catalog.Levels(), a.PromotionLevel)
	})
	return all, nil
}

// namesIn returns a definition in the file for each document that names one. A key is the index of a document in set.
func namesIn(set *docset.Set, file, text string) map[int]string {
	var names codename.Names
	for i, d := range set.Documents {
		var places []string
		for _, place := range d.Places {
			places = append(places, place.String())
		}
		names.Add(i, d.Names, places)
	}
	named := map[int]string{}
	for _, m := range names.In(file, text) {
		named[m.Document] = m.Text
	}
	return named
}

func printCiting(w io.Writer, place document.Place, citing []citingDocument) {
	s := plain.StyleFor(w)
	if len(citing) == 0 {
		plain.Printf(w, "No document cites %s or names what it defines.\n", place)
	}
	for _, d := range citing {
		level := plain.Marked("")
		if d.PromotionLevel != catalog.Standard {
			level = " " + s.Yellow(string(d.PromotionLevel))
		}
		mark := plain.Marked("")
		if d.Status != "" {
			mark = " " + s.Yellow("("+d.Status+")")
		}
		cites := "cites " + strings.Join(d.Cites, ", ")
		switch {
		case len(d.Cites) > 0:
		case d.Names != "":
			cites = "names " + d.Names
		default:
			cites = "is about " + d.Scope
		}
		plain.Printf(w, "%s%s%s\n  %s:%d %s\n", d.Title, level, mark, plain.Path(d.Path), d.Line, s.Dim(cites))
	}
}
