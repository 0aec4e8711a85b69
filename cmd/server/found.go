package main

import (
	"fmt"
	"io"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/tools"
)

// found are the results of a search for people, and documents below the threshold. External docs,
// and documents below the threshold, have fewer fields.
type found struct {
	heading           string // "" for none
	message           string
	results, lessSure []tools.SearchResult
}

func ownFound(out tools.SemanticSearchOutput) found {
	return found{message: out.Message, results: out.Results, lessSure: lessSure(out.Closest)}
}

func externalFound(out tools.SearchExternalDocsOutput) found {
	f := found{message: out.Message, lessSure: lessSure(out.Closest)}
	for _, result := range out.Results {
		f.results = append(f.results, tools.SearchResult{ResultHead: result.ResultHead, ResultEnd: result.ResultEnd})
	}
	return f
}

func lessSure(documents []tools.UnsureDocument) []tools.SearchResult {
	results := make([]tools.SearchResult, len(documents))
	for i, d := range documents {
		results[i].Path, results[i].Title, results[i].RelevanceScore = d.Path, d.Title, d.RelevanceScore
		results[i].BestPassage = d.BestPassage
	}
	return results
}

// print prints the results below the heading. With those that are less sure they are five, if
// there are so many.
func (f found) print(w io.Writer) {
	if f.heading != "" {
		plain.Println(w, plain.StyleFor(w).Bold(f.heading))
	}
	for i, result := range f.results {
		printResult(w, i+1, result)
	}
	if len(f.results) == 0 {
		plain.Println(w, inCommands(f.message))
	}
	if len(f.lessSure) > 0 {
		plain.Printf(w, "less sure:\n")
	}
	for i, result := range f.lessSure {
		printResult(w, len(f.results)+i+1, result)
	}
}

func printResult(w io.Writer, rank int, r tools.SearchResult) {
	s := plain.StyleFor(w)
	title := s.Bold(r.Title)
	if r.PromotionLevel != "" && r.PromotionLevel != catalog.Standard {
		title += " " + s.Yellow("["+string(r.PromotionLevel)+"]")
	}
	plain.Printf(w, "%2d. %.2f  %s\n", rank, r.RelevanceScore, title)
	place := plain.Marked(fmt.Sprintf("%s:%d", plain.Path(r.Path), max(r.StartLine, 1)))
	if r.HeaderPath != "" {
		place += "  " + s.Dim(r.HeaderPath)
	}
	plain.Printf(w, "          %s\n", place)
	if r.Snippet != "" {
		for _, line := range plain.Fold(w, len("          "), r.Snippet) {
			plain.Printf(w, "          %s\n", s.Dim(line))
		}
	}
	if r.SupersededBy != "" {
		plain.Printf(w, "          %s\n", s.Yellow("replaced by "+plain.Path(r.SupersededBy)))
	}
	if r.Stale != "" {
		plain.Printf(w, "          %s\n", s.Yellow("may be outdated: "+r.Stale))
	}
}

// notef prints a remark on stderr.
func (t *tooling) notef(format string, values ...any) {
	plain.Println(t.stderr, plain.StyleFor(t.stderr).Dim("note: "+fmt.Sprintf(format, values...)))
}

// sayMode says on stderr how a search was made, if not as it was asked for.
func (t *tooling) sayMode(end tools.FoundEnd) {
	if end.Mode == "" {
		return
	}
	used := "words"
	if end.Mode == rag.Vector {
		used = "meaning"
	}
	note := "searched by " + used + " only"
	if end.ModeReason != "" {
		note += ": " + end.ModeReason
	}
	t.notef("%s", note)
}

// sayWhatIsMissing says on stderr what the index lacks.
func (t *tooling) sayWhatIsMissing(index *tools.IndexStatus) {
	if index == nil {
		return
	}
	if index.Pending > 0 {
		t.notef("%s not in the index yet", plain.Count(index.Pending, "changed file"))
	}
	if index.Embedding > 0 {
		t.notef("%s without a vector; run compound-docs sync", plain.Count(index.Embedding, "passage"))
	}
	if index.FailedCount > 0 {
		t.notef("%s cannot be indexed; compound-docs lint says why", plain.Count(index.FailedCount, "file"))
	}
	if index.Waiting != "" {
		t.notef("indexing waits: %s", inCommands(index.Waiting))
	}
}
