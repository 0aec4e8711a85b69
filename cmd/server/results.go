package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/tools"
)

// section is the results of a search in one collection, for people.
type section struct {
	heading           string // "" for none
	message           string
	results, lessSure []tools.SearchResult
}

func ownSection(out tools.SemanticSearchOutput) section {
	return section{message: out.Message, results: out.Results, lessSure: lessSure(out.Closest)}
}

func externalSection(out tools.SearchExternalDocsOutput) section {
	s := section{message: out.Message, lessSure: lessSure(out.Closest)}
	for _, result := range out.Results {
		s.results = append(s.results, tools.SearchResult{ResultHead: result.ResultHead, ResultEnd: result.ResultEnd})
	}
	return s
}

func lessSure(documents []tools.UnsureDocument) []tools.SearchResult {
	results := make([]tools.SearchResult, len(documents))
	for i, d := range documents {
		results[i].Path, results[i].Title, results[i].RelevanceScore = d.Path, d.Title, d.RelevanceScore
		results[i].BestPassage = d.BestPassage
	}
	return results
}

func (s section) print(w io.Writer) {
	if s.heading != "" {
		plain.Println(w, plain.StyleFor(w).Bold(s.heading))
	}
	for i, result := range s.results {
		printResult(w, i+1, result)
	}
	if len(s.results) == 0 {
		plain.Println(w, inCommands(s.message))
	}
	if len(s.lessSure) > 0 {
		plain.Printf(w, "less sure:\n")
	}
	for i, result := range s.lessSure {
		printResult(w, len(s.results)+i+1, result)
	}
}

func printResult(w io.Writer, rank int, r tools.SearchResult) {
	s := plain.StyleFor(w)
	title := s.Bold(r.Title)
	if r.PromotionLevel != "" && r.PromotionLevel != catalog.Standard {
		title += " " + s.Yellow("["+string(r.PromotionLevel)+"]")
	}
	plain.Printf(w, "%2d. %.2f  %s\n", rank, r.RelevanceScore, title)
	location := plain.Marked(fmt.Sprintf("%s:%d", plain.Path(r.Path), max(r.StartLine, 1)))
	if r.HeaderPath != "" {
		location += "  " + s.Dim(r.HeaderPath)
	}
	plain.Printf(w, "          %s\n", location)
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

// sayMode says on stderr how a search was made, if not as it was asked for.
func (t *tooling) sayMode(end tools.SearchEnd) {
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

func printExplanation(table io.Writer, e tools.ExplainOutput) {
	plain.Printf(table, "mode %s, %.0f %% of the passages with a vector, threshold %g\n",
		e.Mode, 100*e.Embedded, e.MinRelevanceScore)
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
			r.Rank, cosine, t.Meaning, t.Strength, t.Share, t.Phrase, t.Passages, t.Base, r.LogOdds, r.RelevanceScore, below, r.SortKey,
			plain.Path(r.Path), r.StartLine)
	}
}
