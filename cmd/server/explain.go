package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/tools"
)

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
