package answer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/answer"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// page returns a document with front matter and a text.
func page(title, frontMatter string, text ...string) []string {
	lines := append([]string{"---", "title: " + title, "date: 2026-01-02"}, strings.Split(frontMatter, "\n")...)
	return append(append(lines, "---", ""), text...)
}

// rules has a critical rule that a later one replaces in other words, and a page that
// links to the old rule.
func rules(t *testing.T) *fixture {
	t.Helper()
	f := setup(t)
	f.Add(t, f.Tenant,
		file("docs/old.md", page("Retry forever", "promotion_level: critical", "Always retry failed payments until they succeed.")...),
		file("docs/newer.md", page("Idempotency keys", "supersedes: old.md", "Never repeat a charge: hand failures over to the ledger.")...),
		file("docs/page.md", page("Payments page", "tags: [payments]", "Payments of customers. See [the rule](old.md).")...),
	)
	return f
}

func TestAsk_SupersededRulesDoNotRule(t *testing.T) {
	t.Parallel()
	f := rules(t)
	answered := ask(t, f, answer.Question{
		Query: rag.Query{Text: "always retry failed payments", MinScore: 0.3}, IncludeCritical: true, MaxDepth: 1, MaxLinked: 5,
	})
	got := paths(answered.Sources)
	if len(got) < 2 || got[0] != "docs/newer.md" || got[1] != "docs/old.md" && got[2] != "docs/old.md" {
		t.Errorf("sources %v, want the newer rule first, and the old one behind it", got)
	}
	prompt := f.Fake.Requests("/api/chat")[0].User
	for _, text := range []string{
		"hand failures over to the ledger", `note="relevant to the question; written 2026-01-02; superseded by ./docs/newer.md"`,
	} {
		if !strings.Contains(prompt, text) {
			t.Errorf("the prompt lacks %q:\n%s", text, prompt)
		}
	}
	// A question about something else: a replaced rule is none, and the newer one is not critical.
	answered = ask(t, f, answer.Question{Query: rag.Query{Text: "customers", MinScore: 0.3}, IncludeCritical: true})
	if diff := cmp.Diff([]string{"docs/page.md"}, paths(answered.Sources)); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
}

func TestAsk_QuotesMarkWhatIsSuperseded(t *testing.T) {
	t.Parallel()
	f := rules(t)
	f.Fake.SetFaults(fakeollama.Faults{Paths: []string{"/api/chat"}, Status: 500, Message: "out of memory"})
	answered := ask(t, f, answer.Question{Query: rag.Query{Text: "always retry failed payments", MinScore: 0.3}, IncludeCritical: true})
	if !strings.Contains(answered.Text, "docs/old.md, lines 6 to 6, superseded by ./docs/newer.md:") &&
		!strings.Contains(answered.Text, ", superseded by ./docs/newer.md:") {
		t.Errorf("the quotes do not say what is superseded:\n%s", answered.Text)
	}
	if strings.Index(answered.Text, "newer.md, lines") > strings.Index(answered.Text, "old.md, lines") {
		t.Errorf("the old rule comes first:\n%s", answered.Text)
	}
}

func TestAsk_LinksBringTheSuccessor(t *testing.T) {
	t.Parallel()
	f := rules(t)
	answered := ask(t, f, answer.Question{Query: rag.Query{Text: "customers", MinScore: 0.3}, MaxDepth: 1, MaxLinked: 5})
	links := []string{}
	for _, link := range answered.Linked {
		links = append(links, fmt.Sprint(link.Path, " from ", link.From, " superseded by ", link.SupersededBy))
	}
	want := []string{"docs/newer.md from docs/old.md superseded by ", "docs/old.md from docs/page.md superseded by docs/newer.md"}
	if diff := cmp.Diff(want, links); diff != "" {
		t.Errorf("linked (-want +got):\n%s", diff)
	}
}

// Successors pass the filters as other documents do. The mark of the old one names them.
func TestAsk_SuccessorsPassTheFilters(t *testing.T) {
	t.Parallel()
	f := rules(t)
	f.Add(t, f.Tenant, file("docs/page.md", page("Payments page", "promotion_level: critical", "Payments of customers. See [the rule](old.md).")...))
	for text, want := range map[string][]string{
		"always retry failed payments": {"docs/old.md superseded by docs/newer.md"},
		"customers":                    {"docs/page.md superseded by ", "docs/old.md superseded by docs/newer.md"},
	} {
		answered := ask(t, f, answer.Question{
			Query: rag.Query{Text: text, MinScore: 0.5}, MinLevel: catalog.Critical, MaxDepth: 1, MaxLinked: 5,
		})
		got := []string{}
		for _, hit := range answered.Sources {
			got = append(got, hit.Path+" superseded by "+hit.SupersededBy)
		}
		for _, link := range answered.Linked {
			got = append(got, link.Path+" superseded by "+link.SupersededBy)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// A critical document of another subject costs its title and summary, and its links
// take no places; the relevant part of a long document is quoted, the rest is not.
func TestAsk_QuotesWhatIsRelevant(t *testing.T) {
	t.Parallel()
	f := setup(t)
	var long []string
	for i := range 60 {
		long = append(long, fmt.Sprintf("## Chapter %d", i), "", strings.Repeat(fmt.Sprintf("gardening%d soil%d seeds%d water%d. ", i, i, i, i), 30), "")
	}
	long = append(long, "## Pools", "", "The connection pool is exhausted when leaked connections stay open.", "")
	rule := strings.Repeat("Uniforms are worn on parade, buttons polished. ", 200)
	f.Add(t, f.Tenant,
		file("docs/long.md", page("Long", "tags: [x]", long...)...),
		file("docs/rule.md", page("Uniforms", "promotion_level: critical", rule, "", "See [a](a.md), [b](b.md).")...),
		file("docs/a.md", page("A", "tags: [x]", "Apples.")...), file("docs/b.md", page("B", "tags: [x]", "Bears.")...),
	)
	answered := ask(t, f, answer.Question{
		Query: rag.Query{Text: "connection pool exhausted leaked connections", MinScore: 0.5}, IncludeCritical: true, MaxDepth: 2, MaxLinked: 5,
		Stale: func([]string) map[string]string {
			return map[string]string{"docs/long.md": "1 of 1 cited places changed: a.go:1"}
		},
	})
	if len(answered.Linked) > 0 {
		t.Errorf("links of a rule of another subject were followed: %v", answered.Linked)
	}
	prompt := f.Fake.Requests("/api/chat")[0].User
	if !strings.Contains(prompt, "leaked connections stay open") || strings.Count(prompt, "gardening") > 40 {
		t.Errorf("of the long document %d of 60 chapters are quoted", strings.Count(prompt, "gardening")/30)
	}
	if n := strings.Count(prompt, "parade"); n == 0 || n > 12 {
		t.Errorf("the rule of another subject is quoted %d times, want its summary", n)
	}
	if !strings.Contains(prompt, "may be outdated: 1 of 1 cited places changed") {
		t.Error("the model is not told what may be outdated")
	}
}
