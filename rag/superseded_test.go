package rag_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// Of two documents with the same text the one that replaces the other comes first, in
// every mode, and the other says so. That follows from the files alone.
func TestSearch_SupersededDocumentsComeLater(t *testing.T) {
	t.Parallel()
	f := setup(t)
	const text = "The connection pool was exhausted by leaked connections."
	f.Add(t, f.Tenant,
		file("docs/problems/a-old.md", "# Pool", "", text), file("docs/problems/b-new.md", "---", "supersedes: a-old.md", "---", "# Pool", "", text))
	search := func(mode rag.Mode) (found []string) {
		hits, err := f.Searcher.Search(t.Context(), f.Scope(), rag.Query{Text: "connection pool exhausted", Limit: 10, Mode: mode})
		if err != nil {
			t.Fatal(err)
		}
		for _, hit := range hits.Documents {
			found = append(found, hit.Path+" "+hit.SupersededBy)
		}
		return found
	}
	for _, mode := range rag.Modes() {
		if diff := cmp.Diff([]string{"docs/problems/b-new.md ", "docs/problems/a-old.md docs/problems/b-new.md"}, search(mode)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", mode, diff)
		}
	}
	answer := ask(t, f, rag.Question{Query: rag.Query{Text: "connection pool exhausted"}})
	if len(answer.Sources) != 2 || !strings.Contains(f.Fake.Requests("/api/chat")[0].User, `superseded by ./docs/problems/b-new.md`) {
		t.Errorf("the prompt does not say what is superseded; sources %v", paths(answer.Sources))
	}

	f.Add(t, f.Tenant, file("docs/problems/b-new.md", "# Pool", "", text))
	if diff := cmp.Diff([]string{"docs/problems/a-old.md ", "docs/problems/b-new.md "}, search(rag.Hybrid)); diff != "" {
		t.Errorf("after the link has gone (-want +got):\n%s", diff)
	}
}

// An answer that breaks off is shown as far as it came, with the reason.
func TestAsk_ShowsAnAnswerThatWasCutShort(t *testing.T) {
	t.Parallel()
	f := knowledge(t)
	f.Fake.SetAnswer(func(string, string) []string { return []string{"The pool ", "ran dry."} })
	f.Fake.SetFaults(fakeollama.Faults{Paths: []string{"/api/chat"}, HangUp: true})
	answer := ask(t, f, rag.Question{Query: rag.Query{Text: "why was the connection pool exhausted"}})
	if answer.Text != "The pool" || answer.CutShort == nil || answer.FallbackReason != nil || len(answer.Sources) == 0 {
		t.Errorf("the answer is %q (cut short: %v; instead: %v) from %v", answer.Text, answer.CutShort, answer.FallbackReason, paths(answer.Sources))
	}
}
