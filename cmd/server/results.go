package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/rank"
	"github.com/compound-docs/compound-docs/tools"
)

// withUnsure appends end.MayAnswer and then end.Closest. It appends nothing if the search found nothing relevant.
func withUnsure(results []tools.SearchResult, end tools.SearchEnd) []tools.SearchResult {
	if end.Grade == rag.Nothing {
		return results
	}
	most := len(results) + max(len(end.MayAnswer), len(end.Closest)) // either group fills the list to the wanted length
	for _, unsure := range unsureResults(slices.Concat(end.MayAnswer, end.Closest)) {
		if len(results) == most || slices.ContainsFunc(results, func(r tools.SearchResult) bool { return r.Path == unsure.Path }) {
			continue
		}
		if end.Grade != rag.MayAnswer {
			unsure.Snippet = ""
		}
		results = append(results, unsure)
	}
	return results
}

func unsureResults(documents []tools.UnsureDocument) []tools.SearchResult {
	results := make([]tools.SearchResult, len(documents))
	for i, d := range documents {
		r := &results[i]
		r.Path, r.Title, r.RelevanceScore, r.Status = d.Path, d.Title, d.RelevanceScore, d.Status
		r.BestPassage, r.Snippet = d.BestPassage, d.Snippet
	}
	return results
}

func externalResults(out tools.SearchExternalDocsOutput) []tools.SearchResult {
	results := make([]tools.SearchResult, len(out.Results))
	for i, result := range out.Results {
		results[i] = tools.SearchResult{ResultHead: result.ResultHead, ResultEnd: result.ResultEnd}
	}
	return results
}

func printResults(w io.Writer, results []tools.SearchResult, message string) {
	for i, result := range results {
		printResult(w, i+1, result)
	}
	if message != "" {
		plain.Println(w, message)
	}
}

func printResult(w io.Writer, number int, r tools.SearchResult) {
	s := plain.StyleFor(w)
	title := s.Bold(r.Title)
	if r.PromotionLevel != "" && r.PromotionLevel != catalog.Standard {
		title += " " + s.Yellow("["+string(r.PromotionLevel)+"]")
	}
	plain.Printf(w, "%2d. %.2f %s  %s\n", number, r.RelevanceScore, s.Dim(rank.Strength(r.RelevanceScore)), title)
	location := plain.Marked(fmt.Sprintf("%s:%d", plain.Path(r.Path), max(r.StartLine, 1)))
	if r.HeaderPath != "" {
		location += "  " + s.Dim(r.HeaderPath)
	}
	plain.Printf(w, "          %s\n", location)
	if r.Snippet != "" {
		plain.Printf(w, "          %s\n", s.Dim(r.Snippet))
	}
	if r.Status != "" {
		plain.Printf(w, "          %s\n", s.Yellow(r.Status))
	}
	if r.Stale != "" {
		plain.Printf(w, "          %s\n", s.Yellow("may be outdated: "+r.Stale))
	}
}

// sayMode prints a note on stderr if the search did not work as usual, or not in the way that the user asked for.
func (t *tooling) sayMode(end tools.SearchEnd) {
	if end.Mode == rag.Vector {
		t.notef("searched by meaning only")
	}
	how, _, hasReason := strings.Cut(end.ModeReason, ": ")
	if hasReason {
		how += "; compound-docs doctor says why"
	}
	if how != "" {
		t.notef("searched %s", how)
	}
}

// sayWhatIsMissing prints notes on stderr about gaps in the index. If index is nil, there are no gaps.
func (t *tooling) sayWhatIsMissing(index *tools.IndexStatus) {
	if index == nil {
		return
	}
	if index.Pending > 0 {
		t.notef("%s not in the index yet", plain.Count(index.Pending, "changed file"))
	}
	if index.Embedding > 0 {
		t.notef("%s without a vector; compound-docs sync makes it while a model server runs", plain.Count(index.Embedding, "passage"))
	}
	if index.FailedCount > 0 {
		t.notef("%s cannot be indexed; compound-docs lint says why", plain.Count(index.FailedCount, "file"))
	}
	if index.Waiting != "" {
		t.notef("indexing waits: %s", index.Waiting)
	}
	if index.Note != "" {
		t.notef("%s", index.Note)
	}
}

func printExplanation(table io.Writer, e tools.ExplainOutput) {
	used := fmt.Sprintf("%.0f %% of the passages with a vector", 100*e.Embedded)
	if e.ModeReason != "" {
		used = e.ModeReason
	}
	plain.Printf(table, "mode %s, %s, threshold %g\n", e.Mode, used, e.MinRelevanceScore)
	if len(e.Terms) > 0 {
		plain.Printf(table, "\nterm\tin %s\tweight\tfinds passages\n", plain.Count(e.Sampled, "sampled passage"))
		for _, term := range e.Terms {
			finds := "yes"
			if !term.Finds {
				finds = "no, it only scores"
			}
			plain.Printf(table, "%s\t%d\t%.2f\t%s\n", term.Term, term.Frequency, term.Weight, finds)
		}
	}
	if len(e.Identifiers) > 0 {
		plain.Printf(table, "literally: %s\n", strings.Join(e.Identifiers, ", "))
	}
	if len(e.Plans) > 0 {
		plain.Printf(table, "\nvectors of level\tplan\tpassages\tall compared up to\n")
		for _, plan := range e.Plans {
			plain.Printf(table, "%s\t%s\t%d\t%d\n", joined(plan.Levels), plan.Plan, plan.Passages, plan.Threshold)
		}
	}
	plain.Printf(table, "\n%s found, the first %d:\n", plain.Count(e.Candidates, "document"), len(e.Results))
	plain.Printf(table, "log-odds, with %s:\n", plain.Count(e.Passages, "passage"))
	plain.Printf(table, "rank\tcosine\tmeaning\twords\tshare\tphrase\tpassages\tbase\tsum\tscore\torder\tdocument\n")
	for _, r := range e.Results {
		cosine, below := "-", ""
		if r.Cosine != nil {
			cosine = fmt.Sprintf("%.3f", *r.Cosine)
		}
		if r.Below {
			below = "<"
		}
		t := r.Terms
		plain.Printf(table, "%d\t%s\t%+.2f\t%+.2f\t%+.2f\t%+.2f\t%+.2f\t%+.2f\t%+.2f\t%.3f%s\t%+.2f\t%s:%d\n",
			r.Rank, cosine, t.Meaning, t.Strength, t.Share, t.Phrase, t.Passages, t.Base,
			r.LogOdds, r.RelevanceScore, below, r.SortKey,
			plain.Path(r.Path), r.StartLine)
	}
}
