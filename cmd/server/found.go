package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/tools"
)

// maxClosest is how many documents are named where none is relevant.
const maxClosest = 3

// found is what a search has found: for people, and as --json prints it.
type found struct {
	results, closest []hit
	end              tools.FoundEnd
	json             any
}

// hit is a document that a search has found. External docs, and documents that are only
// close, have fewer fields.
type hit struct {
	tools.SearchResult

	own bool // to be marked, because external docs were searched too
}

func ownFound(out tools.SemanticSearchOutput) found {
	f := found{closest: closestHits(out.Closest), end: out.FoundEnd, json: out}
	for _, result := range out.Results {
		f.results = append(f.results, hit{SearchResult: result})
	}
	return f
}

func externalFound(out tools.SearchExternalDocsOutput) found {
	f := found{closest: closestHits(out.Closest), end: out.FoundEnd, json: out}
	for _, result := range out.Results {
		f.results = append(f.results, externalHit(result))
	}
	return f
}

func externalHit(result tools.ExternalResult) hit {
	return hit{SearchResult: tools.SearchResult{ResultHead: result.ResultHead, ResultEnd: result.ResultEnd}}
}

func closestHits(documents []tools.ClosestDocument) []hit {
	hits := make([]hit, len(documents))
	for i, d := range documents {
		hits[i].Path, hits[i].Title, hits[i].RelevanceScore = d.Path, d.Title, d.RelevanceScore
		hits[i].BestPassage, hits[i].Snippet = d.BestPassage, d.Snippet
	}
	return hits
}

// mixedOutput is what --json prints of a search in own documents and external docs.
type mixedOutput struct {
	Results          []any             `json:"results"`
	TotalMatches     int               `json:"total_matches"`
	OmittedCount     int               `json:"omitted_count,omitempty"`
	ExternalDocsPath string            `json:"external_docs_path"`
	Closest          []closestDocument `json:"closest,omitempty"`
	tools.FoundEnd
}

type ownResult struct {
	Own bool `json:"own"`
	tools.SearchResult
}

type externalResult struct {
	Own bool `json:"own"`
	tools.ExternalResult
}

type closestDocument struct {
	Own bool `json:"own"`
	tools.ClosestDocument
}

// mix returns the most relevant results of both. Each list keeps its order, in which a
// promoted document may come before a more relevant one.
func mix(own tools.SemanticSearchOutput, external tools.SearchExternalDocsOutput, limit int) found {
	out := mixedOutput{
		Results: []any{}, OmittedCount: own.OmittedCount + external.OmittedCount, ExternalDocsPath: external.ExternalDocsPath,
		FoundEnd: mixEnds(own.FoundEnd, external.FoundEnd),
	}
	var f found
	for ours, theirs := own.Results, external.Results; len(out.Results) < limit && len(ours)+len(theirs) > 0; {
		if len(ours) == 0 || len(theirs) > 0 && theirs[0].RelevanceScore > ours[0].RelevanceScore {
			f.results = append(f.results, externalHit(theirs[0]))
			out.Results = append(out.Results, externalResult{false, theirs[0]})
			theirs = theirs[1:]
		} else {
			f.results = append(f.results, hit{ours[0], true})
			out.Results = append(out.Results, ownResult{true, ours[0]})
			ours = ours[1:]
		}
	}
	out.TotalMatches = len(out.Results)
	if out.NothingRelevant = len(out.Results) == 0; out.NothingRelevant {
		for _, d := range own.Closest {
			out.Closest = append(out.Closest, closestDocument{true, d})
		}
		for _, d := range external.Closest {
			out.Closest = append(out.Closest, closestDocument{false, d})
		}
		slices.SortStableFunc(out.Closest, func(a, b closestDocument) int { return cmp.Compare(b.RelevanceScore, a.RelevanceScore) })
		out.Closest = out.Closest[:min(maxClosest, len(out.Closest))]
	}
	for _, d := range out.Closest {
		closest := closestHits([]tools.ClosestDocument{d.ClosestDocument})[0]
		closest.own = d.Own
		f.closest = append(f.closest, closest)
	}
	f.end, f.json = out.FoundEnd, out
	return f
}

// mixEnds returns what both searches lack.
func mixEnds(own, external tools.FoundEnd) tools.FoundEnd {
	own.Message, own.Mode = "", cmp.Or(own.Mode, external.Mode)
	if own.Embedded == nil || external.Embedded != nil && *external.Embedded < *own.Embedded {
		own.Embedded = external.Embedded
	}
	if own.Index == nil {
		own.Index = external.Index
	} else if external.Index != nil {
		own.Index.Pending = max(own.Index.Pending, external.Index.Pending)
	}
	return own
}

// showFound prints the results of a search. It says on stderr what the index lacks.
func (t *tooling) showFound(f found) error {
	mode := ""
	switch {
	case f.end.ModeReason != "":
		mode = fmt.Sprintf("this was a search in mode %s: %s", f.end.Mode, f.end.ModeReason)
	case f.end.Mode != "":
		mode = fmt.Sprintf("this was a search in mode %s", f.end.Mode)
	}
	t.sayWhatIsMissing(f.end.Index, mode)
	return t.print(f.json, func(w io.Writer) {
		for i, result := range f.results {
			result.print(w, i+1)
		}
		if len(f.results) > 0 {
			return
		}
		plain.Printf(w, "nothing relevant was found\n")
		if len(f.closest) > 0 {
			plain.Printf(w, "closest, below the threshold:\n")
		}
		for i, result := range f.closest {
			result.print(w, i+1)
		}
	})
}

func (r hit) print(w io.Writer, rank int) {
	s := plain.StyleFor(w)
	title := s.Bold(r.Title)
	if r.own {
		title += " " + s.Yellow("[own]")
	}
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

// sayWhatIsMissing says on stderr what the index lacks, and how a search was made, if mode
// is not "".
func (t *tooling) sayWhatIsMissing(index *tools.IndexStatus, mode string) {
	note := func(format string, values ...any) {
		plain.Println(t.stderr, plain.StyleFor(t.stderr).Dim("note: "+fmt.Sprintf(format, values...)))
	}
	if mode != "" {
		note("%s", mode)
	}
	if index == nil {
		return
	}
	if index.Pending > 0 {
		note("%s not in the index yet", plain.Count(index.Pending, "changed file"))
	}
	if index.Embedding > 0 {
		note("%s found by their words only so far; compound-docs sync waits for their vectors", plain.Count(index.Embedding, "passage"))
	}
	if len(index.Failed) > 0 {
		first := index.Failed[0]
		note("%s cannot be indexed, such as %s: %s", plain.Count(index.FailedCount, "file"), first.Path, first.Reason)
	}
	if index.Waiting != "" {
		note("indexing waits: %s", inCommands(index.Waiting))
	}
}
