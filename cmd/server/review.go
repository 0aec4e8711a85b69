package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/hooks"
	"github.com/compound-docs/compound-docs/internal/plain"
)

func newReviewCommand(flags *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "review",
		Short: "List questions that found nothing, and what hooks have shown",
		Long: `List what the memory was asked for, the latest first:

- questions that found nothing, unless "keep_questions" is false in settings.json
- documents that hooks have shown in the last 30 days, at which event and why, and in how
  many sessions`,
		Example: "  compound-docs review",
		RunE:    flags.run(invocation.review),
	}
}

type reviewed struct {
	Questions []unanswered `json:"questions"`
	Shown     []shown      `json:"shown"`
}

type unanswered struct {
	Question string    `json:"question"`
	Asked    time.Time `json:"last_asked"`
}

type shown struct {
	Path    string    `json:"path"`
	Event   string    `json:"event"`
	Why     string    `json:"why"`
	Rule    string    `json:"rule,omitempty"`
	At      time.Time `json:"shown_at"`
	Session string    `json:"session"`
}

func (i invocation) review() error {
	options, root, err := i.here()
	if err != nil {
		return err
	}
	store := hooks.NewStore(options.home)
	all, err := store.Shown(root)
	if err != nil {
		return err
	}
	list := reviewed{Questions: []unanswered{}, Shown: []shown{}}
	for _, one := range all {
		list.Shown = append(list.Shown, shown{one.Path, one.Event, one.Why, one.Rule, one.At, one.Session})
	}
	slices.SortFunc(list.Shown, func(a, b shown) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Path, b.Path))
	})
	for question, asked := range store.Questions(root) {
		list.Questions = append(list.Questions, unanswered{question, asked})
	}
	slices.SortFunc(list.Questions, func(a, b unanswered) int {
		return cmp.Or(b.Asked.Compare(a.Asked), cmp.Compare(a.Question, b.Question))
	})
	return i.print(list, func(w io.Writer) { list.print(w) })
}

func (r reviewed) print(w io.Writer) {
	s := plain.StyleFor(w)
	if len(r.Questions) == 0 {
		plain.Println(w, "Every question has found something.")
	} else {
		plain.Println(w, "Questions that found nothing:")
	}
	for _, q := range r.Questions {
		plain.Println(w, " ", q.Question, s.Dim("(last on "+q.Asked.Format(time.DateOnly)+")"))
	}
	if len(r.Shown) == 0 {
		plain.Println(w, "Hooks have shown no document of this project in the last 30 days.")
	} else {
		plain.Println(w, "Documents that hooks have shown, "+r.perSession()+":")
	}
	for _, d := range r.Shown {
		use := d.At.Local().Format(time.DateTime) + ", " + d.Event + ": " + d.Why
		plain.Println(w, " ", plain.Path(d.Path), s.Dim("("+use+")"))
	}
}

// perSession says how many documents a session was shown.
func (r reviewed) perSession() string {
	counts, most := map[string]int{}, 0
	for _, d := range r.Shown {
		counts[d.Session]++
		most = max(most, counts[d.Session])
	}
	pointers, sessions := plain.Count(len(r.Shown), "pointer"), plain.Count(len(counts), "session")
	return fmt.Sprintf("%s in %s, at most %d in one", pointers, sessions, most)
}
