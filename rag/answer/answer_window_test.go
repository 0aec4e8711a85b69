package answer_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/answer"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// windowed is a language model with another context window.
type windowed struct {
	answer.Generator
	tokens int
}

func (w windowed) ContextWindow(context.Context) int { return w.tokens }

func (f *fixture) withWindow(tokens int) {
	f.Answerer = f.NewAnswerer(windowed{f.Models, tokens})
}

// A model whose window has no room for a quotation is not asked, and the answer
// quotes what it can.
func TestAsk_NeverWithoutAQuotation(t *testing.T) {
	t.Parallel()
	f := knowledge(t)
	f.withWindow(400)
	answered := ask(t, f, answer.Question{Query: rag.Query{Text: "connection pool exhausted " + strings.Repeat("by leaked connections ", 50)}})
	if chats := f.Fake.Requests("/api/chat"); len(chats) != 0 {
		t.Errorf("the model was asked:\n%s", chats[0].User)
	}
	if answered.FallbackReason == nil || !strings.Contains(answered.FallbackReason.Error(), "400 tokens") ||
		!strings.Contains(answered.Text, "leaked connections") || len(answered.Sources) == 0 {
		t.Errorf("got %+v, want quoted passages and the reason", answered)
	}
}

// The first passage is cut when it alone is longer than the room.
func TestAsk_CutsThePassageThatDoesNotFit(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Add(t, f.Tenant, file("docs/a.md", section("Pools", "pools")))
	f.withWindow(700)
	answered := ask(t, f, answer.Question{Query: rag.Query{Text: "pools"}})
	chats := f.Fake.Requests("/api/chat")
	if len(chats) != 1 || len(answered.Sources) != 1 || answered.FallbackReason != nil {
		t.Fatalf("%d chats, sources %v, %v", len(chats), paths(answered.Sources), answered.FallbackReason)
	}
	if prompt := chats[0].User; !strings.Contains(prompt, "Sentence 0 says") || !strings.Contains(prompt, "…\n</document ") {
		t.Errorf("the prompt does not hold the beginning of the passage alone:\n%s", prompt)
	}
}

// A model whose window is smaller than it says is asked again with less.
func TestAsk_ShortensThePromptForASmallerWindow(t *testing.T) {
	t.Parallel()
	f := setup(t)
	files := []document.File{}
	for i := range 20 {
		files = append(files, file(fmt.Sprintf("docs/%d.md", i), section(fmt.Sprint("Pools ", i), "pools")))
	}
	f.Add(t, f.Tenant, files...)
	f.Fake.SetFaults(fakeollama.Faults{Window: 1500})
	answered := ask(t, f, answer.Question{Query: rag.Query{Text: "pools", Limit: 20}})
	if answered.FallbackReason != nil || len(answered.Sources) == 0 || len(answered.Sources)+len(answered.Omitted) != 20 {
		t.Errorf("%d sources, %d omitted, quoted instead because of %v", len(answered.Sources), len(answered.Omitted), answered.FallbackReason)
	}
}
