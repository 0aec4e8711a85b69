package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/tools"
)

// inspectFlags are those of a search, and the text to search for.
type inspectFlags struct {
	searchFlags

	query string
}

func newInspectCommand(flags *flags) *cobra.Command {
	var f inspectFlags
	command := &cobra.Command{
		Use:   "inspect [FILE]",
		Short: "Show how a file is cut into passages, or why a query finds what it finds",
		Long: `Show how a markdown file is cut into passages, the units that are searched and embedded:
their lines, bytes, tokens, terms and headings. That needs neither the database nor
Ollama. A document of a project that is not valid is refused, as compound-docs index does.

With --query, show why a query finds documents in this order. For the best passage of each:

- cosine: the similarity of its vector to the query's; "-" where there is none
- share: how much of the query's words it has, by BM25
- phrase: how much it has of what is looked for literally, such as names
- score: the three together, as docs/architecture.md says
- boost: what the score is multiplied by for the order: a promoted document counts more, a
  superseded one less

Documents below the threshold are shown too, marked with a "<".`,
		Example: `  compound-docs inspect csharp-compounding-docs/problems/pool-exhausted-20260115.md
  compound-docs inspect --query "connection pool exhausted"
  compound-docs inspect --query ErrNoRows --mode lexical --json`,
		Args: needs(0, 1, "one file", "compound-docs inspect README.md"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case cmd.Flags().Changed("query") == (len(args) == 1):
				return usagef("give either a file or --query, as in `compound-docs inspect README.md` " +
					"or `compound-docs inspect --query \"connection pool\"`")
			case len(args) == 1:
				return inspectFile(cmd, flags, args[0], f.json)
			default:
				return f.run(cmd, flags)
			}
		},
		ValidArgsFunction: completeMarkdown,
	}
	command.Flags().StringVar(&f.query, "query", "", "explain a search for this text")
	f.declare(command)
	return command
}

func (f *inspectFlags) run(command *cobra.Command, flags *flags) error {
	limit, minScore := optional(command, "limit", &f.limit), optional(command, "min-relevance-score", &f.minScore)
	if f.external {
		if err := exclusive(command, "external", "doc-types", "promotion-levels"); err != nil {
			return err
		}
	}
	return withProject(command, flags, func(ctx context.Context, t *tooling) (err error) {
		var explained tools.ExplainOutput
		if f.external {
			explained, err = t.calls.ExplainExternal(ctx, tools.SearchExternalInput{
				Query: f.query, Limit: limit, MinRelevanceScore: minScore, Mode: rag.Mode(f.mode),
			})
		} else {
			explained, err = t.calls.Explain(ctx, tools.SearchInput{
				Query: f.query, Limit: limit, MinRelevanceScore: minScore, Mode: rag.Mode(f.mode),
				DocTypes: f.docTypes, PromotionLevels: f.levels,
			})
		}
		if err != nil {
			return err
		}
		t.sayWhatIsMissing(explained.Index, "")
		if f.json {
			return printJSON(t.stdout, explained)
		}
		return printExplanation(t.stdout, explained)
	})
}

func printExplanation(w io.Writer, e tools.ExplainOutput) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "mode %s, %.0f %% of the passages with a vector, threshold %g\n", e.Mode, 100*e.Embedded, e.MinRelevanceScore)
	if len(e.Terms) > 0 {
		fmt.Fprintf(table, "\nterm\tin %s\tweight\tfinds passages\n", count(e.Sampled, "sampled passage"))
		for _, term := range e.Terms {
			finds := "yes"
			if !term.Finds {
				finds = "no, it only scores"
			}
			fmt.Fprintf(table, "%s\t%d\t%.2f\t%s\n", term.Term, term.Frequency, term.Weight, finds)
		}
	}
	if len(e.Identifiers) > 0 {
		fmt.Fprintf(table, "literally: %s\n", strings.Join(e.Identifiers, ", "))
	}
	if len(e.Plans) > 0 {
		fmt.Fprintln(table, "\nvectors of level\tplan\tpassages\tall compared up to")
		for _, plan := range e.Plans {
			fmt.Fprintf(table, "%s\t%s\t%d\t%d\n", joined(plan.Levels), plan.Plan, plan.Passages, plan.Threshold)
		}
	}
	fmt.Fprintf(table, "\n%s found, the first %d:\n", count(e.Candidates, "document"), len(e.Results))
	fmt.Fprintln(table, "rank\tcosine\tshare\tphrase\tscore\tboost\tdocument")
	for _, r := range e.Results {
		cosine, below := "-", ""
		if r.Cosine != nil {
			cosine = fmt.Sprintf("%.3f", *r.Cosine)
		}
		if r.Below {
			below = "<"
		}
		fmt.Fprintf(table, "%d\t%s\t%.3f\t%.3f\t%.3f%s\t%g\t%s:%d\n",
			r.Rank, cosine, r.Share, r.Phrase, r.RelevanceScore, below, r.Boost, r.Path, r.StartLine)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("print the explanation: %w", err)
	}
	return nil
}
