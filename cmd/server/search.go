package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/plain"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/tools"
)

// searchFlags are the arguments of the tools that search.
type searchFlags struct {
	docTypes, levels []string
	limit            int
	minScore         float64
	mode, section    string
	own, external    bool
	handbook, json   bool
}

func newSearchCommand(flags *flags) *cobra.Command {
	var f searchFlags
	command := &cobra.Command{
		Use:   "search QUERY...",
		Short: "Find documents by meaning and by words",
		Long: `Find the project's documents by meaning and by words, best first, each with the first
line of its best passage. If the project has external docs, both are searched, and own
documents are marked; --own and --external search one of them. A search by doc-type or
promotion level finds own documents only. With --handbook it searches the handbook.

Files that have changed are indexed first, which takes a moment; searches do not wait for
their vectors. What the index still lacks is said on stderr. --mode lexical needs no Ollama.

The exit code is 0 also if nothing is found.`,
		Example: `  compound-docs search connection pool exhausted
  compound-docs search --mode lexical ErrNoRows
  compound-docs search --doc-types problem,tool --limit 3 timeouts after a deployment
  compound-docs search --external --json "how are webhooks signed?"`,
		Args: needs(1, -1, "what to look for", `compound-docs search "connection pool exhausted"`),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, flags, strings.Join(args, " ")) },
	}
	f.declare(command)
	command.Flags().BoolVar(&f.own, "own", false, "search only the project's own documents")
	command.Flags().BoolVar(&f.handbook, "handbook", false, "search the handbook; see ingest")
	command.Flags().StringVar(&f.section, "section", "", "only this section of the handbook")
	return command
}

// declare adds the flags that say what to search, and how.
func (f *searchFlags) declare(command *cobra.Command) {
	set := command.Flags()
	set.StringSliceVar(&f.docTypes, "doc-types", nil, "only these doc-types, separated by commas; see doc-types")
	set.StringSliceVar(&f.levels, "promotion-levels", nil, "only these levels: "+joined(catalog.Levels()))
	set.IntVarP(&f.limit, "limit", "n", 0, "how many results at most (default: 10, or what the project configures)")
	set.Float64Var(&f.minScore, "min-relevance-score", 0,
		"leave out what is less relevant (default: 0.5, or what the project configures; external docs: 0.7)")
	set.StringVar(&f.mode, "mode", string(rag.Hybrid), "how to search: "+joined(rag.Modes()))
	set.BoolVar(&f.external, "external", false, "search only the external docs")
	addJSON(command, &f.json)
	complete(command, "mode", names(rag.Modes())...)
	complete(command, "promotion-levels", names(catalog.Levels())...)
}

func names[T ~string](values []T) []string {
	names := make([]string, 0, len(values))
	for _, value := range values {
		names = append(names, string(value))
	}
	return names
}

func joined[T ~string](values []T) string { return strings.Join(names(values), ", ") }

func (f *searchFlags) run(command *cobra.Command, flags *flags, query string) error {
	if f.handbook {
		others := []string{"own", "external", "doc-types", "promotion-levels", "min-relevance-score", "mode"}
		if err := exclusive(command, "handbook", others...); err != nil {
			return err
		}
		return withTools(command, flags, noProject, func(ctx context.Context, t *tooling) error {
			return f.searchHandbook(ctx, t, map[string]any{
				"query": query, "n_results": optional(command, "limit", &f.limit), "filter_section": f.section,
			})
		})
	}
	if command.Flags().Changed("section") {
		return usagef("--section is of the handbook; give --handbook too")
	}
	if f.external {
		if err := exclusive(command, "external", "own", "doc-types", "promotion-levels"); err != nil {
			return err
		}
	}
	arguments := f.arguments(command, query)
	return withProjectOnce(command, flags, func(ctx context.Context, t *tooling) error {
		found, err := f.search(ctx, t, arguments)
		if err != nil {
			return err
		}
		t.sayWhatIsMissing(found.Index, found.why())
		switch {
		case f.json && found.mixed:
			return plain.JSON(t.stdout, found)
		case f.json:
			return plain.JSON(t.stdout, json.RawMessage(found.text))
		}
		found.print(t.stdout)
		return nil
	})
}

// arguments returns the arguments for a tool that searches documents. The tool's defaults
// hold for flags that were not given.
func (f *searchFlags) arguments(command *cobra.Command, query string) map[string]any {
	arguments := map[string]any{
		"query": query, "mode": f.mode, "limit": optional(command, "limit", &f.limit),
		"min_relevance_score": optional(command, "min-relevance-score", &f.minScore),
	}
	if len(f.docTypes) > 0 {
		arguments["doc_types"] = f.docTypes
	}
	if len(f.levels) > 0 {
		arguments["promotion_levels"] = f.levels
	}
	return arguments
}

// search searches the project's own documents, its external docs, or both. Only own
// documents have doc-types and levels.
func (f *searchFlags) search(ctx context.Context, t *tooling, arguments map[string]any) (found, error) {
	if f.external {
		return t.search(ctx, "search_external_docs", arguments)
	}
	own, err := t.search(ctx, "semantic_search", arguments)
	if err != nil || f.own || len(f.docTypes) > 0 || len(f.levels) > 0 {
		return own, err
	}
	external, err := t.search(ctx, "search_external_docs", arguments)
	if isNotConfigured(err) {
		return own, nil
	}
	if err != nil {
		return found{}, err
	}
	// The config of a project can override the threshold for external docs.
	external.Results = slices.DeleteFunc(external.Results, func(r result) bool { return r.RelevanceScore < f.minScore })
	active, err := t.workspace.Active(ctx)
	if err != nil {
		return found{}, err
	}
	return own.merge(external, cmp.Or(f.limit, active.Definition.Config.SemanticSearch.DefaultLimit)), nil
}

// isNotConfigured reports whether a project has no external docs.
func isNotConfigured(err error) bool {
	refused, ok := errors.AsType[*apierror.Error](err)
	return ok && refused.Code == apierror.ExternalDocsNotConfigured
}

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

	text  string // the tool's JSON
	mixed bool   // own documents and external ones
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

func (f *searchFlags) searchHandbook(ctx context.Context, t *tooling, arguments map[string]any) error {
	if f.json {
		found, err := t.caller.SearchHandbook(ctx, arguments)
		if err != nil {
			return err
		}
		return plain.JSON(t.stdout, found)
	}
	text, err := t.caller.Call(ctx, "search_handbook", arguments)
	if err != nil {
		return err
	}
	plain.Println(t.stdout, plain.Block(strings.TrimSuffix(text, "\n")))
	return nil
}

// result is a document found: what is printed of it, and the tool's JSON.
type result struct {
	Path           string        `json:"path"`
	Title          string        `json:"title"`
	RelevanceScore float64       `json:"relevance_score"`
	PromotionLevel catalog.Level `json:"promotion_level"` // "" for external docs
	SupersededBy   string        `json:"superseded_by"`
	Stale          string        `json:"stale"`
	HeaderPath     string        `json:"header_path"`
	StartLine      int           `json:"start_line"`
	Snippet        string        `json:"snippet"`

	own bool
	raw json.RawMessage
}

func (r *result) UnmarshalJSON(text []byte) error {
	type fields result
	r.raw = slices.Clone(text)
	return json.Unmarshal(text, (*fields)(r)) //nolint:wrapcheck // json adds the place
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
		plain.Printf(w, "          %s\n", s.Dim(r.Snippet))
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
