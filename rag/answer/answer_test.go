package answer_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/answer"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

func ask(t *testing.T, f *fixture, question answer.Question) answer.Answer {
	t.Helper()
	if question.MinLevel == "" {
		question.MinLevel = catalog.Standard
	}
	if question.Limit == 0 {
		question.Limit = 3
	}
	answered, err := f.Answerer.Ask(t.Context(), f.Scope(), question)
	if err != nil {
		t.Fatal(err)
	}
	return answered
}

func paths(hits []rag.Hit) []string {
	list := []string{}
	for _, hit := range hits {
		list = append(list, hit.Path)
	}
	return list
}

func linkedPaths(answered answer.Answer) []string {
	list := []string{}
	for _, link := range answered.Linked {
		list = append(list, link.Path)
	}
	return list
}

// knowledge is a small set of documents: one about pools that links to one about
// drivers, which links on and back; one critical rule; one about lunch.
func knowledge(t *testing.T) *fixture {
	t.Helper()
	f := setup(t)
	f.Add(t, f.Tenant,
		file("docs/problems/pool.md", "# Connection pool exhausted", "", "The connection pool was exhausted by leaked connections.",
			"See [driver](../tools/driver.md)."),
		file("docs/tools/driver.md", "# Driver settings", "", "Statement timeouts of the driver.", "See [back](../problems/pool.md) and [far](../codebase/far.md)."),
		file("docs/codebase/far.md", "# Far away", "", "Replication slots.", "See [farther](farther.md)."),
		file("docs/codebase/farther.md", "# Farther", "", "Vacuum settings."),
		file("docs/styles/rule.md", "---", "promotion_level: critical", "---", "# Never log secrets", "", "Secrets stay out of logs."),
		file("docs/insights/lunch.md", "# Lunch", "", "Orders peak around noon."),
	)
	return f
}

func TestAsk_SourcesLinksAndCritical(t *testing.T) {
	t.Parallel()
	f := knowledge(t)
	answered := ask(t, f, answer.Question{
		Query:           rag.Query{Text: "why was the connection pool exhausted", MinScore: 0.6},
		IncludeCritical: true, MaxDepth: 2, MaxLinked: 5,
	})
	if diff := cmp.Diff([]string{"docs/problems/pool.md", "docs/styles/rule.md"}, paths(answered.Sources)); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	links := []string{}
	for _, link := range answered.Linked {
		links = append(links, link.From+" → "+link.Path)
	}
	want := []string{"docs/problems/pool.md → docs/tools/driver.md", "docs/tools/driver.md → docs/codebase/far.md"}
	if diff := cmp.Diff(want, links); diff != "" {
		t.Errorf("linked, two links away and each once (-want +got):\n%s", diff)
	}
	chats := f.Fake.Requests("/api/chat")
	if len(chats) != 1 {
		t.Fatalf("%d chats", len(chats))
	}
	for _, text := range []string{
		"leaked connections", "Statement timeouts", "Replication slots", "Secrets stay out of logs",
		`path="./docs/problems/pool.md"`, `note="critical"`, "linked from ./docs/problems/pool.md",
		"Question: why was the connection pool exhausted",
	} {
		if !strings.Contains(chats[0].User, text) {
			t.Errorf("the prompt lacks %q:\n%s", text, chats[0].User)
		}
	}
	for _, text := range []string{"Orders peak", "Vacuum settings"} {
		if strings.Contains(chats[0].User, text) {
			t.Errorf("the prompt holds %q, which is neither near nor linked", text)
		}
	}
}

// A circle of links is logged once, also one that was written after the first question.
func TestAsk_LogsCircularLinks(t *testing.T) {
	t.Parallel()
	f := setup(t)
	var log bytes.Buffer
	f.Answerer = answer.New(f.Database, f.Searcher, f.Models, slog.New(slog.NewTextHandler(&log, nil)))
	question := answer.Question{Query: rag.Query{Text: "pool"}, MaxDepth: 2, MaxLinked: 5}
	f.Add(t, f.Tenant, file("docs/a.md", "Pool. [b](b.md)"), file("docs/b.md", "Pool. [a](a.md)"), file("docs/c.md", "Pool."))
	ask(t, f, question)
	f.Add(t, f.Tenant, file("docs/c.md", "Pool. [d](d.md)"), file("docs/d.md", "Pool. [c](c.md)"))
	ask(t, f, question)
	for _, circle := range []string{"docs/a.md, docs/b.md", "docs/c.md, docs/d.md"} {
		if n := strings.Count(log.String(), circle); n != 1 {
			t.Errorf("the circle %s is logged %d times, want once:\n%s", circle, n, log.String())
		}
	}
}

func TestAsk_LimitsOfLinks(t *testing.T) {
	t.Parallel()
	f := knowledge(t)
	question := answer.Question{Query: rag.Query{Text: "why was the connection pool exhausted", MinScore: 0.6}}
	for _, test := range []struct{ depth, limit, want int }{{0, 5, 0}, {1, 5, 1}, {3, 5, 3}, {3, 1, 1}} {
		question.MaxDepth, question.MaxLinked = test.depth, test.limit
		if got := len(ask(t, f, question).Linked); got != test.want {
			t.Errorf("depth %d, limit %d: %d linked documents, want %d", test.depth, test.limit, got, test.want)
		}
	}
}

// An answer that breaks off is shown as far as it came, with the reason.
func TestAsk_ShowsAnAnswerThatWasCutShort(t *testing.T) {
	t.Parallel()
	f := knowledge(t)
	f.Fake.SetAnswer(func(string, string) []string { return []string{"The pool ", "ran dry."} })
	f.Fake.SetFaults(fakeollama.Faults{Paths: []string{"/api/chat"}, HangUp: true})
	answered := ask(t, f, answer.Question{Query: rag.Query{Text: "why was the connection pool exhausted"}})
	if answered.Text != "The pool" || answered.CutShort == nil || answered.FallbackReason != nil || len(answered.Sources) == 0 {
		t.Errorf("the answer is %q (cut short: %v; instead: %v) from %v", answered.Text, answered.CutShort, answered.FallbackReason, paths(answered.Sources))
	}
}
