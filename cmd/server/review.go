package main

import (
	"cmp"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/recall"
)

func newReviewCommand(flags *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "review",
		Short: "List questions that found nothing, and what hooks have shown",
		Long: `List what the memory was asked for, the latest first:

- questions that found nothing: documents to write;
- documents that hooks have shown in the last 30 days, and how often an assistant then
  opened them.

Server and commands keep both in the user's own folder; with "keep_questions": false in
settings.json they keep no questions. Nothing is started. compound-docs lint names
documents that may not hold any more.`,
		Example: "  compound-docs review\n  compound-docs review --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			return review(newInvocation(cmd, args), flags)
		},
	}
}

// reviewed is what compound-docs review lists.
type reviewed struct {
	Questions []unanswered           `json:"questions"`
	Shown     []recall.ShownDocument `json:"shown"`
}

// unanswered is a question that found nothing.
type unanswered struct {
	Question string    `json:"question"`
	Asked    time.Time `json:"last_asked"`
}

func review(i invocation, flags *flags) error {
	options, root, err := flags.here()
	if err != nil {
		return err
	}
	store := recall.NewStore(options.home)
	shown, err := store.Shown(root)
	if err != nil {
		return err
	}
	list := reviewed{Questions: []unanswered{}, Shown: shown}
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
		plain.Println(w, "No question has found nothing.")
	} else {
		plain.Println(w, "Questions that found nothing:")
	}
	for _, q := range r.Questions {
		plain.Println(w, " ", q.Question, s.Dim("(last on "+q.Asked.Format(time.DateOnly)+")"))
	}
	if len(r.Shown) == 0 {
		plain.Println(w, "Hooks have shown no document of this project in the last 30 days.")
	} else {
		plain.Println(w, "Documents that hooks have shown:")
	}
	for _, d := range r.Shown {
		use := "shown " + plain.Count(d.Times, "time") + ", opened " + plain.Count(d.Opened, "time")
		plain.Println(w, " ", plain.Path(d.Path), s.Dim("("+use+")"))
	}
}
