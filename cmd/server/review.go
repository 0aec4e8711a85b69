package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/lint"
	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/recall"
)

// reviewChecks are the findings after which a document may not hold any more.
var reviewChecks = []string{
	"superseded-rule", "supersession-cycle", "place-gone", "place-changed", "near-duplicate", "contradictory",
}

// maxContradictions is how many pairs that may contradict each other are listed: those most
// used, and of these those most alike.
const maxContradictions = 20

func newReviewCommand(flags *flags) *cobra.Command {
	var f reviewFlags
	command := &cobra.Command{
		Use:   "review",
		Short: "List the documents that deserve a look, the most used first",
		Long: `List the project's own documents that may not hold any more, those first that searches and
hooks have returned most often. What is found of them stands below each:

- place-changed, place-gone: cited places have changed or are gone since
- superseded-rule: a critical document is superseded
- supersession-cycle: documents supersede each other
- near-duplicate: a document says nearly the same as another one
- contradictory: a document is about the same as one of another date or doc-type, so that they
  may contradict each other; of these pairs, the 20 most used

The files and git say so, as for lint, and nothing is started.

Other lists in its place:

- --questions: what was asked and found nothing, the most frequent first: documents to write
- --unused DAYS: documents that are older, and that nothing has returned since
- --recalls: what hooks have shown in the last 30 days, and how often an assistant then
  opened the document

Server and commands count that in the user's own folder, from the first search on; with
"count_searches": false in settings.json no more.`,
		Example: "  compound-docs review\n  compound-docs review --questions\n  compound-docs review --unused 90 --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), newInvocation(cmd, args), flags)
		},
	}
	command.Flags().BoolVar(&f.questions, "questions", false, "list questions that found nothing")
	command.Flags().IntVar(&f.unused, "unused", 0, "list documents that nothing has returned in so many days")
	command.Flags().BoolVar(&f.recalls, "recalls", false, "list what hooks have shown")
	exclude(command, "questions", "unused", "recalls")
	exclude(command, "recalls", "unused")
	return command
}

// reviewFlags say what review lists.
type reviewFlags struct {
	questions, recalls bool
	unused             int // days, 0 for another list
}

func (f *reviewFlags) run(ctx context.Context, i invocation, flags *flags) error {
	if i.command.Flags().Changed("unused") && f.unused < 1 {
		return usagef("--unused is %d; give a number of days, such as 90", f.unused)
	}
	options, root, err := flags.here()
	if err != nil {
		return err
	}
	store := recall.NewStore(options.home)
	usage := store.Usage(root)
	if f.questions {
		return listQuestions(i, usage)
	}
	used, err := usedIn(root, store, usage)
	if err != nil {
		return err
	}
	switch {
	case f.recalls:
		maps.DeleteFunc(used, func(_ string, d *reviewed) bool { return d.Shown == 0 })
	case f.unused > 0:
		if used, err = unusedIn(ctx, root, options, used, time.Now().AddDate(0, 0, -f.unused)); err != nil {
			return err
		}
	default:
		report, err := lintProject(ctx, root, options)
		if err != nil {
			return err
		}
		used = toReview(used, append(report.Findings, contradictions(&report, used)...))
	}
	documents := slices.SortedFunc(maps.Values(used), func(a, b *reviewed) int {
		return cmp.Or(b.Returned-a.Returned, b.Shown-a.Shown, len(b.Findings)-len(a.Findings), cmp.Compare(a.Path, b.Path))
	})
	return i.print(map[string]any{"documents": append([]*reviewed{}, documents...)}, func(w io.Writer) {
		f.print(w, documents)
		if f.unused > 0 {
			plain.Println(i.stderr, "note:", countedSince(usage))
		}
	})
}

func countedSince(usage recall.Usage) string {
	if usage.Since.IsZero() {
		return "nothing is counted yet; searches are from now on, unless settings.json says \"count_searches\": false"
	}
	return "searches are counted since " + usage.Since.Format(time.DateOnly)
}

// unusedIn returns the documents of the project that are from before a time and that
// nothing has returned since.
func unusedIn(
	ctx context.Context, root string, o options, used map[string]*reviewed, since time.Time,
) (map[string]*reviewed, error) {
	p, err := project.Load(root, o.settings.ExternalDocsAllowed...)
	if err != nil {
		return nil, err
	}
	set, err := docset.Read(ctx, p)
	if err != nil {
		return nil, err
	}
	unused := map[string]*reviewed{}
	for _, d := range set.Documents {
		use := cmp.Or(used[d.Path], &reviewed{Path: d.Path})
		if d.Err == nil && d.Date < since.Format(time.DateOnly) && use.last.Before(since) {
			unused[d.Path] = use
		}
	}
	return unused, nil
}

// unanswered is a question that found nothing.
type unanswered struct {
	Question string `json:"question"`
	recall.Count
}

func listQuestions(i invocation, usage recall.Usage) error {
	questions := []unanswered{}
	for question, count := range usage.Questions {
		questions = append(questions, unanswered{question, count})
	}
	slices.SortFunc(questions, func(a, b unanswered) int {
		return cmp.Or(b.Times-a.Times, b.Last.Compare(a.Last), cmp.Compare(a.Question, b.Question))
	})
	return i.print(map[string]any{"questions": questions}, func(w io.Writer) {
		if len(questions) == 0 {
			plain.Println(w, "No question has found nothing.")
		}
		for _, q := range questions {
			asked := "asked " + plain.Count(q.Times, "time") + ", last on " + q.Last.Format(time.DateOnly)
			plain.Printf(w, "%s %s\n", q.Question, plain.StyleFor(w).Dim("("+asked+")"))
		}
	})
}

// reviewed is a document with its use and what is found of it.
type reviewed struct {
	Path string `json:"path"`
	// Returned counts searches and hooks, Shown the hooks of the last 30 days.
	Returned int            `json:"returned"`
	Shown    int            `json:"shown"`
	Opened   int            `json:"opened"`
	Findings []lint.Finding `json:"findings,omitempty"`

	last time.Time // returned
}

// usedIn counts by path what searches have returned and hooks have shown of the project at root.
func usedIn(root string, store *recall.Store, usage recall.Usage) (map[string]*reviewed, error) {
	sessions, err := store.All()
	used := map[string]*reviewed{}
	for path, count := range usage.Returned {
		used[path] = &reviewed{Path: path, Returned: count.Times, last: count.Last}
	}
	for _, session := range sessions {
		for _, shown := range session.Shown {
			if shown.Project != root {
				continue
			}
			use := cmp.Or(used[shown.Path], &reviewed{Path: shown.Path})
			used[shown.Path] = use
			use.Shown++
			if shown.Opened {
				use.Opened++
			}
		}
	}
	return used, err
}

// contradictions returns what is found of the most used documents that may contradict
// each other.
func contradictions(report *lint.Report, used map[string]*reviewed) (findings []lint.Finding) {
	pairs := report.Contradictions()
	uses := func(c lint.Contradiction) (times int) {
		for _, f := range c {
			if d := used[f.Path]; d != nil {
				times += d.Returned + d.Shown
			}
		}
		return times
	}
	slices.SortStableFunc(pairs, func(a, b lint.Contradiction) int { return uses(b) - uses(a) })
	for _, pair := range pairs[:min(len(pairs), maxContradictions)] {
		findings = append(findings, pair[:]...)
	}
	return findings
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

func (f *reviewFlags) print(w io.Writer, documents []*reviewed) {
	s := plain.StyleFor(w)
	switch {
	case len(documents) > 0:
	case f.unused > 0:
		plain.Println(w, "Every document was returned, or is newer.")
	case f.recalls:
		plain.Println(w, "Hooks have shown no document of this project in the last 30 days.")
	default:
		plain.Println(w, "No document needs a look.")
	}
	for _, d := range documents {
		use := fmt.Sprintf("returned %s, shown %s, opened %s",
			plain.Count(d.Returned, "time"), plain.Count(d.Shown, "time"), plain.Count(d.Opened, "time"))
		plain.Printf(w, "%s %s\n", plain.Path(d.Path), s.Dim(use))
		for _, finding := range d.Findings {
			plain.Printf(w, "  %d: %s %s\n", finding.Line, finding.Message, s.Dim("("+finding.Check+")"))
		}
	}
}
