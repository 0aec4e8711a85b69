package main

import (
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/tools"
)

type searchFlags struct {
	filters                     map[string]*[]string // values of the flags that filter, by the flag's name
	limit                       int
	minScore                    float64
	mode, section               string
	external, handbook, explain bool
}

func newSearchCommand(flags *flags) *cobra.Command {
	f := searchFlags{filters: map[string]*[]string{}}
	command := &cobra.Command{
		Use:   "search QUERY...",
		Short: "Find documents by meaning and by words",
		Long: `Find the project's documents by meaning and by words, best first, each with the first line of
its best passage and a strength: sure from 0.7 on, likely from 0.3 on, or weak. Weak ones
are listed only until there are five, or twenty for a query of few frequent words. If none is
sure, a line says whether the external docs or the handbook have more, which --external and
--handbook search.

Changed files are indexed first; searches do not wait for their vectors. Gaps of the index are
reported on stderr.

--explain prints for the best passage of each document the cosine of its vector ("-" without one)
and the parts of the log-odds, as in docs/architecture.md. Their sum makes the score; "<" marks
one below the threshold. "order" is more than the sum if the document is promoted, and less if it
is superseded.`,
		Example: `  compound-docs search connection pool exhausted
  compound-docs search --mode lexical ErrNoRows
  compound-docs search --doc-types problem,tool --limit 3 timeouts after a deployment
  compound-docs search --external --json "how are webhooks signed?"
  compound-docs search --explain "connection pool exhausted"`,
		Args: needs(1, -1, "what to look for", `compound-docs search "connection pool exhausted"`),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.handbook:
				noProject := func(string) (string, error) { return "", nil }
				return withTools(flags, noProject, f.searchHandbook)(cmd, args)
			case cmd.Flags().Changed("section"):
				return usagef("--section needs --handbook; give both")
			case f.explain:
				return withProject(flags, f.explainSearch)(cmd, args)
			}
			return withProject(flags, f.run)(cmd, args)
		},
	}
	set := command.Flags()
	var ofOwn []string // flags that apply only to the project's own documents
	for _, filter := range tools.Filters() {
		if filter.Flag == "" {
			continue
		}
		f.filters[filter.Flag] = set.StringSlice(filter.Flag, nil, filter.Usage)
		ofOwn = append(ofOwn, filter.Flag)
	}
	set.IntVarP(&f.limit, "limit", "n", 0, "most results (default: 10, or as configured)")
	set.Float64Var(&f.minScore, "min-relevance-score", 0,
		"minimum relevance (default: 0.5, or as configured; external docs: 0.7)")
	set.StringVar(&f.mode, "mode", string(rag.Hybrid), "how to search: "+joined(rag.Modes()))
	set.BoolVar(&f.external, "external", false, "search the external docs")
	set.BoolVar(&f.handbook, "handbook", false, "search the handbook; see ingest")
	set.StringVar(&f.section, "section", "", "only this section of the handbook")
	set.BoolVar(&f.explain, "explain", false, "show why the query finds what it finds")
	exclude(command, "handbook", append([]string{"external", "min-relevance-score", "mode", "explain"}, ofOwn...)...)
	exclude(command, "external", append(ofOwn, "explain")...)
	return command
}

func joined[T ~string](values []T) string { return strings.Join(tools.Names(values), ", ") }

func (f *searchFlags) ownInput(t *tooling) tools.SemanticSearchInput {
	in := tools.SemanticSearchInput{
		Query: strings.Join(t.args, " "), Mode: rag.Mode(f.mode),
		Limit: optional(t.command, "limit", &f.limit), MinRelevanceScore: optional(t.command, "min-relevance-score", &f.minScore),
	}
	for _, filter := range tools.Filters() {
		if values := f.filters[filter.Flag]; values != nil {
			filter.Take(&in.SearchFilters, *values)
		}
	}
	return in
}

// run searches the project's own documents or its external docs, and prints the results.
func (f *searchFlags) run(t *tooling) error {
	t.endsSoon()
	ctx := t.command.Context()
	in := f.ownInput(t)
	if f.external {
		ofExternal := tools.SearchExternalDocsInput{
			Query: in.Query, Mode: in.Mode, Limit: in.Limit, MinRelevanceScore: in.MinRelevanceScore,
		}
		external, err := tools.Run(ctx, t.tools, "search_external_docs", (*tools.Handler).SearchExternalDocs, ofExternal)
		if err != nil {
			return err
		}
		return t.showResults(external, external.SearchEnd, externalResults(external))
	}
	own, err := tools.Run(ctx, t.tools, "semantic_search", (*tools.Handler).SemanticSearch, in)
	if err != nil {
		return err
	}
	return t.showResults(own, own.SearchEnd, own.Results)
}

// showResults prints the results, or asJSON with --json. Notes on stderr say what was missing during the search.
func (t *tooling) showResults(asJSON any, end tools.SearchEnd, results []tools.SearchResult) error {
	t.sayMode(end)
	if end.Index != nil && end.ModeReason != "" { // ModeReason already reports the missing vectors
		index := *end.Index
		index.Embedding = 0
		end.Index = &index
	}
	t.sayWhatIsMissing(end.Index)
	return t.print(asJSON, func(w io.Writer) { printResults(w, withUnsure(results, end), end.Message) })
}

func (f *searchFlags) searchHandbook(t *tooling) error {
	in := tools.SearchHandbookInput{Query: strings.Join(t.args, " "), FilterSection: f.section}
	if t.command.Flags().Changed("limit") {
		in.NResults = new(float64(f.limit))
	}
	out, err := tools.Run(t.command.Context(), t.tools, "search_handbook", (*tools.Handler).SearchHandbook, in)
	if err != nil {
		return err
	}
	return t.print(out, func(w io.Writer) { plain.Println(w, plain.Block(strings.TrimSuffix(out.Text, "\n"))) })
}

func (f *searchFlags) explainSearch(t *tooling) error {
	t.endsSoon()
	explained, err := tools.Run(t.command.Context(), t.tools, "semantic_search", (*tools.Handler).Explain, f.ownInput(t))
	if err != nil {
		return err
	}
	t.sayWhatIsMissing(explained.Index)
	return t.print(explained, func(w io.Writer) {
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		printExplanation(table, explained)
		_ = table.Flush() // [plain.Output.Err] returns the error later
	})
}
