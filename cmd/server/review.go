package main

import (
	"cmp"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/lint"
	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/recall"
)

// reviewChecks are the findings after which a document may not hold any more.
var reviewChecks = []string{"superseded-rule", "supersession-cycle", "place-gone", "place-changed", "near-duplicate"}

func newReviewCommand(flags *flags) *cobra.Command {
	var recalls, asJSON bool
	command := &cobra.Command{
		Use:   "review",
		Short: "List the documents that deserve a look, the most used first",
		Long: `List the project's own documents that may not hold any more, those first that hooks have
shown most often: documents whose cited places have changed or are gone, critical ones that
are superseded, and documents that say nearly the same as another one. What lint says of them
stands below each.

--recalls lists what hooks have shown in this project in the last 30 days instead, and how
often an assistant then opened the document. The server keeps that in the user's own folder.`,
		Example: "  compound-docs review\n  compound-docs review --recalls --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			options, root, err := flags.here()
			if err != nil {
				return err
			}
			used, err := shownIn(root, recall.NewStore(options.home))
			if err != nil {
				return err
			}
			if !recalls {
				report, err := lintProject(cmd.Context(), root, options)
				if err != nil {
					return err
				}
				used = toReview(used, report.Findings)
			}
			documents := slices.SortedFunc(maps.Values(used), func(a, b *reviewed) int {
				return cmp.Or(b.Shown-a.Shown, len(b.Findings)-len(a.Findings), cmp.Compare(a.Path, b.Path))
			})
			if asJSON {
				return plain.JSON(cmd.OutOrStdout(), map[string]any{"documents": append([]*reviewed{}, documents...)})
			}
			printReview(cmd.OutOrStdout(), documents, recalls)
			return nil
		},
	}
	command.Flags().BoolVar(&recalls, "recalls", false, "list what hooks have shown instead")
	addJSON(command, &asJSON)
	return command
}

// reviewed is a document with its use and what is found of it.
type reviewed struct {
	Path     string         `json:"path"`
	Shown    int            `json:"shown"`
	Opened   int            `json:"opened"`
	Findings []lint.Finding `json:"findings,omitempty"`
}

// shownIn counts by path what hooks have shown of the project at root.
func shownIn(root string, store *recall.Store) (map[string]*reviewed, error) {
	sessions, err := store.All()
	used := map[string]*reviewed{}
	for _, session := range sessions {
		for _, shown := range session.Shown {
			if shown.Project != root {
				continue
			}
			if used[shown.Path] == nil {
				used[shown.Path] = &reviewed{Path: shown.Path}
			}
			used[shown.Path].Shown++
			if shown.Opened {
				used[shown.Path].Opened++
			}
		}
	}
	return used, err
}

// toReview leaves the documents of which something is found.
func toReview(used map[string]*reviewed, findings []lint.Finding) map[string]*reviewed {
	found := map[string]*reviewed{}
	for _, finding := range findings {
		if !slices.Contains(reviewChecks, finding.Check) {
			continue
		}
		if found[finding.Path] == nil {
			found[finding.Path] = cmp.Or(used[finding.Path], &reviewed{Path: finding.Path})
		}
		found[finding.Path].Findings = append(found[finding.Path].Findings, finding)
	}
	return found
}

func printReview(w io.Writer, documents []*reviewed, recalls bool) {
	s := plain.StyleFor(w)
	switch {
	case len(documents) == 0 && recalls:
		plain.Println(w, "Hooks have shown no document of this project in the last 30 days.")
	case len(documents) == 0:
		plain.Println(w, "No document needs a look.")
	}
	for _, d := range documents {
		use := "shown " + plain.Count(d.Shown, "time") + ", opened " + plain.Count(d.Opened, "time")
		plain.Printf(w, "%s %s\n", plain.Path(d.Path), s.Dim(use))
		for _, f := range d.Findings {
			plain.Printf(w, "  %d: %s %s\n", f.Line, f.Message, s.Dim("("+f.Check+")"))
		}
	}
}
