package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/plain"
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
their lines, bytes, tokens, terms and headings; and who wrote it last, as git says. That needs neither the database nor
Ollama. A document of a project that is not valid is refused, as compound-docs index does.

With --query, show why a query finds documents in this order. For the best passage of each:

- cosine: the similarity of its vector to the query's; "-" where there is none
- meaning, words, share, phrase, passages, base: what each adds to the log-odds that the
  document answers, as docs/architecture.md says
- sum: these log-odds; another number where a line of the query decides, or where the whole
  of a short query stands in the passage
- score: the probability, from the sum
- order: the sum by which documents are ordered: a promoted document has more than in "sum",
  a superseded one less

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
				return inspectFile(newInvocation(cmd, args), flags)
			default:
				return withProject(flags, func(t *tooling, ctx context.Context) error { return f.run(ctx, t) })(cmd, args)
			}
		},
		ValidArgsFunction: completeMarkdown,
	}
	command.Flags().StringVar(&f.query, "query", "", "explain a search for this text")
	f.declare(command)
	return command
}

func (f *inspectFlags) run(ctx context.Context, t *tooling) error {
	explain := t.caller.Explain
	if f.external {
		explain = t.caller.ExplainExternal
	}
	explained, err := explain(ctx, f.arguments(t.command, f.query))
	if err != nil {
		return err
	}
	t.sayWhatIsMissing(explained.Index, "")
	return t.print(explained, func(w io.Writer) { plain.Table(w, func(table io.Writer) { printExplanation(table, explained) }) })
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
