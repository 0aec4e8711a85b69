package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/tools"
)

// searchFlags are the arguments of the tools that search. Those that the command line
// does not have are left to the tools.
type searchFlags struct {
	docTypes, levels   []string
	limit              int
	minScore           float64
	mode, section      string
	external, handbook bool
	json               bool
}

func newSearchCommand(flags *flags) *cobra.Command {
	var f searchFlags
	command := &cobra.Command{
		Use:   "search QUERY...",
		Short: "Find documents by meaning and by words",
		Long: `Find the project's documents by meaning and by words, best first, each with the first
line of its best passage. With --external it searches the external docs of the project,
with --handbook the handbook.

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
	command.Flags().BoolVar(&f.handbook, "handbook", false, "search the handbook; see ingest")
	command.Flags().StringVar(&f.section, "section", "", "only this section of the handbook")
	return command
}

// declare adds the flags that say what to search, and how.
func (f *searchFlags) declare(command *cobra.Command) {
	set := command.Flags()
	set.StringSliceVar(&f.docTypes, "doc-types", nil, "only these doc-types, separated by commas; see doc-types")
	set.StringSliceVar(&f.levels, "promotion-levels", nil, "only these levels: "+joined(rag.Levels()))
	set.IntVarP(&f.limit, "limit", "n", 0, "how many results at most (default: 10, or what the project configures)")
	set.Float64Var(&f.minScore, "min-relevance-score", 0,
		"leave out what is less relevant (default: 0.5, or what the project configures; external docs: 0.7)")
	set.StringVar(&f.mode, "mode", string(rag.Hybrid), "how to search: "+joined(rag.Modes()))
	set.BoolVar(&f.external, "external", false, "search the external docs")
	addJSON(command, &f.json)
	complete(command, "mode", names(rag.Modes())...)
	complete(command, "promotion-levels", names(rag.Levels())...)
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
	switch {
	case f.handbook:
		others := []string{"external", "doc-types", "promotion-levels", "min-relevance-score", "mode"}
		if err := exclusive(command, "handbook", others...); err != nil {
			return err
		}
		return withTools(command, flags, noProject, func(ctx context.Context, t *tooling) error {
			return f.searchHandbook(ctx, t, tools.SearchHandbookInput{
				Query: query, NResults: optional(command, "limit", new(float64(f.limit))), FilterSection: f.section,
			})
		})
	case command.Flags().Changed("section"):
		return usagef("--section is of the handbook; give --handbook too")
	case f.external:
		if err := exclusive(command, "external", "doc-types", "promotion-levels"); err != nil {
			return err
		}
		return withProject(command, flags, func(ctx context.Context, t *tooling) error {
			return f.searchExternal(ctx, t, tools.SearchExternalInput{
				Query: query, Limit: optional(command, "limit", &f.limit), Mode: rag.Mode(f.mode),
				MinRelevanceScore: optional(command, "min-relevance-score", &f.minScore),
			})
		})
	}
	return withProject(command, flags, func(ctx context.Context, t *tooling) error {
		return f.search(ctx, t, tools.SearchInput{
			Query: query, DocTypes: f.docTypes, Limit: optional(command, "limit", &f.limit), Mode: rag.Mode(f.mode),
			MinRelevanceScore: optional(command, "min-relevance-score", &f.minScore), PromotionLevels: f.levels,
		})
	})
}

func (f *searchFlags) search(ctx context.Context, t *tooling, in tools.SearchInput) error {
	answer, err := t.calls.Search(ctx, in)
	if err != nil {
		return err
	}
	found := found{json: answer, index: answer.Index, mode: answer.Mode, closest: answer.Closest}
	for _, r := range answer.Results {
		found.results = append(found.results, result{
			score: r.RelevanceScore, title: r.Title, path: r.Path, line: r.StartLine, headers: r.HeaderPath,
			level: r.PromotionLevel, supersededBy: r.SupersededBy, stale: r.Stale, snippet: r.Snippet,
		})
	}
	return f.print(t, found)
}

func (f *searchFlags) searchExternal(ctx context.Context, t *tooling, in tools.SearchExternalInput) error {
	answer, err := t.calls.SearchExternal(ctx, in)
	if err != nil {
		return err
	}
	found := found{json: answer, index: answer.Index, mode: answer.Mode, closest: answer.Closest}
	for _, r := range answer.Results {
		found.results = append(found.results, result{
			score: r.RelevanceScore, title: r.Title, path: r.Path, line: r.StartLine, headers: r.HeaderPath, snippet: r.Snippet,
		})
	}
	return f.print(t, found)
}

// found is an answer of documents, the project's own or external ones.
type found struct {
	json    any // the tool's output
	index   *tools.IndexStatus
	mode    rag.Mode
	results []result
	closest *tools.Closest
}

func (f *searchFlags) print(t *tooling, found found) error {
	t.sayWhatIsMissing(found.index, string(found.mode))
	if f.json {
		return printJSON(t.stdout, found.json)
	}
	for i, result := range found.results {
		printResult(t.stdout, i+1, result)
	}
	printClosest(t.stdout, len(found.results), found.closest)
	return nil
}

func (f *searchFlags) searchHandbook(ctx context.Context, t *tooling, in tools.SearchHandbookInput) error {
	found, err := t.calls.SearchHandbook(ctx, in)
	if err != nil {
		return err
	}
	if f.json {
		return printJSON(t.stdout, found)
	}
	fmt.Fprintln(t.stdout, strings.TrimSuffix(found.Text, "\n"))
	return nil
}

// result is a document found, as it is printed for people.
type result struct {
	score                float64
	title, path, headers string
	line                 int
	level                rag.Level // "" where there are none
	supersededBy, stale  string
	snippet              string
}

func printResult(w io.Writer, rank int, r result) {
	s := styleFor(w)
	title := s.bold(r.title)
	if r.level != "" && r.level != rag.Standard {
		title += " " + s.yellow("["+string(r.level)+"]")
	}
	fmt.Fprintf(w, "%2d. %.2f  %s\n", rank, r.score, title)
	place := fmt.Sprintf("%s:%d", r.path, max(r.line, 1))
	if r.headers != "" {
		place += "  " + s.dim(r.headers)
	}
	fmt.Fprintln(w, "          "+place)
	if r.snippet != "" {
		fmt.Fprintln(w, "          "+s.dim(r.snippet))
	}
	if r.supersededBy != "" {
		fmt.Fprintln(w, "          "+s.yellow("replaced by "+r.supersededBy))
	}
	if r.stale != "" {
		fmt.Fprintln(w, "          "+s.yellow("may be outdated: "+r.stale))
	}
}

// printClosest says what to do where nothing was found.
func printClosest(w io.Writer, results int, closest *tools.Closest) {
	switch {
	case results > 0:
	case closest == nil:
		fmt.Fprintln(w, "nothing found: no document comes into question")
	default:
		fmt.Fprintf(w, "nothing found: the closest is %s with a relevance of %g; to see it, %s\n",
			closest.Path, closest.RelevanceScore, inCommands(closest.Remedy))
	}
}

// sayWhatIsMissing says on stderr what the index lacks, and that a search was made in
// another mode than the one asked for.
func (t *tooling) sayWhatIsMissing(index *tools.IndexStatus, mode string) {
	note := func(format string, values ...any) {
		fmt.Fprintln(t.stderr, styleFor(t.stderr).dim("note: "+fmt.Sprintf(format, values...)))
	}
	if mode != "" {
		note("this was a search in mode %s", mode)
	}
	if index == nil {
		return
	}
	if index.Pending > 0 {
		note("%s not in the index yet", count(index.Pending, "changed file"))
	}
	if index.Embedding > 0 {
		note("%s found by their words only so far; compound-docs sync waits for their vectors", count(index.Embedding, "passage"))
	}
	if index.FailedCount > 0 {
		note("%s cannot be indexed, such as %s: %s", count(index.FailedCount, "file"), index.Failed[0].Path, index.Failed[0].Reason)
	}
	if index.Waiting != "" {
		note("indexing waits: %s", cmp.Or(inCommands(index.Waiting), "unknown"))
	}
}
