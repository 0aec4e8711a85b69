package tools_test

import (
	"encoding/json"
	"os"
	"testing"
	"unicode/utf8"
)

// tokens returns a high estimate of the tokens of a text: English and JSON have about
// four bytes a token.
func tokens(text []byte) int { return int(float64(len(text)) / 3.5) }

// atMostTokens fails if a text costs more than the budget, and logs what it costs.
func atMostTokens(t *testing.T, what string, text []byte, budget int) {
	t.Helper()
	got := tokens(text)
	t.Logf("%s: %d of %d tokens", what, got, budget)
	if got > budget {
		t.Errorf("%s costs %d tokens, more than %d", what, got, budget)
	}
}

// Every session of a client pays for tools/list and the instructions.
func TestSize_Listing(t *testing.T) {
	t.Parallel()
	c := connect(t, setup(t).server, protocolVersions()["stateless"])
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		tool.Meta = nil // read by the client, which does not pass it on
	}
	listing, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	atMostTokens(t, "tools/list", listing, 6000)
	const most = 2048
	if got := utf8.RuneCountInString(c.InitializeResult().Instructions); got == 0 || got > most {
		t.Errorf("the instructions have %d characters, want 1 to %d", got, most)
	}
}

// Answers of as many documents as by default are small. Claude Code passes the structured content
// to the model, so that is measured.
func TestSize_Answers(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../examples/questions.json")
	if err != nil {
		t.Fatal(err)
	}
	var questions []struct {
		Question string `json:"question"`
	}
	if err := json.Unmarshal(content, &questions); err != nil || len(questions) == 0 {
		t.Fatal("no questions:", err)
	}
	c := connect(t, setup(t).server, protocolVersions()["stateless"])
	c.activate(t, copyProject(t, "../examples/demo-project"))
	for _, q := range questions {
		found := c.ask(t, "semantic_search", arguments{"query": q.Question, "min_relevance_score": 0})
		if n := results(t, found.Structured, "results"); n != 10 {
			t.Errorf("%q finds %d documents: the size of an answer is that of 10", q.Question, n)
		}
		atMostTokens(t, "semantic_search", found.Structured, 2000)

		told := c.ask(t, "rag_query", arguments{"query": q.Question, "min_relevance_score": 0})
		if n := results(t, told.Structured, "sources"); n < 3 {
			t.Errorf("%q has %d sources, want at least 3", q.Question, n)
		}
		atMostTokens(t, "rag_query beside its answer", withoutAnswer(t, told.Structured), 1500)
	}
}

func results(t *testing.T, structured json.RawMessage, list string) int {
	t.Helper()
	var fields map[string]json.RawMessage
	var items []any
	if err := json.Unmarshal(structured, &fields); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(fields[list], &items); err != nil {
		t.Fatal(err)
	}
	return len(items)
}

func withoutAnswer(t *testing.T, structured json.RawMessage) []byte {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(structured, &fields); err != nil {
		t.Fatal(err)
	}
	delete(fields, "answer")
	rest, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return rest
}
