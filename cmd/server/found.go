package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/tools"
)

// maxClosest is how many documents are named where none is relevant.
const maxClosest = 3

// found is the answer of a tool that searches documents, or two of them merged.
type found struct {
	Results          []result           `json:"results"`
	TotalMatches     int                `json:"total_matches"`
	OmittedCount     int                `json:"omitted_count,omitempty"`
	ExternalDocsPath string             `json:"external_docs_path,omitempty"`
	NothingRelevant  bool               `json:"nothing_relevant,omitempty"`
	Closest          []result           `json:"closest,omitempty"`
	Mode             rag.Mode           `json:"mode,omitempty"`
	ModeReason       string             `json:"mode_reason,omitempty"`
	RetryAfter       float64            `json:"retry_after_seconds,omitempty"`
	Embedded         *float64           `json:"embedded,omitempty"`
	Index            *tools.IndexStatus `json:"index,omitempty"`

	text  json.RawMessage // the tool's
	mixed bool            // own documents and external ones
}

func (t *tooling) search(ctx context.Context, tool string, arguments map[string]any) (answer found, err error) {
	answer.text, err = t.call(ctx, tool, arguments, &answer)
	for _, list := range [][]result{answer.Results, answer.Closest} {
		for i := range list {
			list[i].own = answer.ExternalDocsPath == ""
		}
	}
	return answer, err
}

// merge returns the most relevant results of both. Each list keeps its order, in which a
// promoted document may come before a more relevant one.
func (f found) merge(external found, limit int) found {
	own, others := f.Results, external.Results
	f.Results = make([]result, 0, len(own)+len(others))
	for len(own) > 0 || len(others) > 0 {
		next := &own
		if len(own) == 0 || len(others) > 0 && others[0].RelevanceScore > own[0].RelevanceScore {
			next = &others
		}
		f.Results = append(f.Results, (*next)[0])
		*next = (*next)[1:]
	}
	f.Results = f.Results[:min(limit, len(f.Results))]
	f.TotalMatches = len(f.Results)
	f.OmittedCount += external.OmittedCount
	f.ExternalDocsPath, f.mixed = external.ExternalDocsPath, true
	f.Closest = append(f.Closest, external.Closest...)
	slices.SortStableFunc(f.Closest, func(a, b result) int { return cmp.Compare(b.RelevanceScore, a.RelevanceScore) })
	f.Closest = f.Closest[:min(maxClosest, len(f.Closest))]
	if f.NothingRelevant = len(f.Results) == 0; !f.NothingRelevant {
		f.Closest = nil
	}
	if f.Index == nil {
		f.Index = external.Index
	} else if external.Index != nil {
		f.Index.Pending = max(f.Index.Pending, external.Index.Pending)
	}
	f.Mode = cmp.Or(f.Mode, external.Mode)
	if f.Embedded == nil || external.Embedded != nil && *external.Embedded < *f.Embedded {
		f.Embedded = external.Embedded
	}
	return f
}

func (f found) print(w io.Writer) {
	for i, result := range f.Results {
		result.print(w, i+1, f.mixed)
	}
	if len(f.Results) > 0 {
		return
	}
	plain.Printf(w, "nothing relevant was found\n")
	if len(f.Closest) > 0 {
		plain.Printf(w, "closest, below the threshold:\n")
	}
	for i, result := range f.Closest {
		result.print(w, i+1, f.mixed)
	}
}

// result is a document found, with the tool's JSON of it: external docs have fewer fields.
type result struct {
	tools.SearchResult

	own bool
	raw json.RawMessage
}

func (r *result) UnmarshalJSON(text []byte) error {
	r.raw = slices.Clone(text)
	return json.Unmarshal(text, &r.SearchResult) //nolint:wrapcheck // json adds the place
}

// MarshalJSON returns the tool's JSON, with a first field that says whether the document is the
// project's own.
func (r result) MarshalJSON() ([]byte, error) { //nolint:unparam // the signature is that of json.Marshaler
	return append(fmt.Appendf(nil, `{"own":%t,`, r.own), r.raw[1:]...), nil
}

func (r result) print(w io.Writer, rank int, mixed bool) {
	s := plain.StyleFor(w)
	title := s.Bold(r.Title)
	if mixed && r.own {
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

// why says that a search was made in another mode than the requested one, and is "" if it was
// not.
func (f found) why() string {
	switch {
	case f.ModeReason != "":
		return fmt.Sprintf("this was a search in mode %s: %s", f.Mode, f.ModeReason)
	case f.Mode != "":
		return fmt.Sprintf("this was a search in mode %s", f.Mode)
	default:
		return ""
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
		note("%s cannot be indexed, such as %s: %s", plain.Count(index.FailedCount, "file"), plain.Path(first.Path), first.Reason)
	}
	if index.Waiting != "" {
		note("indexing waits: %s", cmp.Or(inCommands(index.Waiting), "unknown"))
	}
}
