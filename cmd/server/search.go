package main

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// searchFlags are the arguments of the tools that search.
type searchFlags struct {
	docTypes, levels []string
	limit            int
	minScore         float64
	mode, section    string
	own, external    bool
	handbook         bool
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
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.handbook:
				return callTools(cmd, args, flags, noProject, f.searchHandbook)
			case cmd.Flags().Changed("section"):
				return usagef("--section is of the handbook; give --handbook too")
			}
			return callTools(cmd, args, flags, findProject, f.run)
		},
	}
	f.declare(command)
	command.Flags().BoolVar(&f.own, "own", false, "search only the project's own documents")
	command.Flags().BoolVar(&f.handbook, "handbook", false, "search the handbook; see ingest")
	command.Flags().StringVar(&f.section, "section", "", "only this section of the handbook")
	exclude(command, "handbook", "own", "external", "doc-types", "promotion-levels", "min-relevance-score", "mode")
	exclude(command, "external", "own", "doc-types", "promotion-levels")
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
	exclude(command, "external", "doc-types", "promotion-levels")
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

func (f *searchFlags) run(ctx context.Context, t *tooling) error {
	t.workspace.Once()
	found, err := f.search(ctx, t, f.arguments(t.command, strings.Join(t.args, " ")))
	if err != nil {
		return err
	}
	t.sayWhatIsMissing(found.Index, found.why())
	if found.mixed {
		return t.print(found, found.print)
	}
	return t.print(found.text, found.print)
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

func (f *searchFlags) searchHandbook(ctx context.Context, t *tooling) error {
	arguments := map[string]any{
		"query": strings.Join(t.args, " "), "n_results": optional(t.command, "limit", &f.limit), "filter_section": f.section,
	}
	if t.json {
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
