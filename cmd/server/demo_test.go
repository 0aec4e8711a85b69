package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/testenv"
)

const examples = "../../examples"

// demoProject returns a copy of the demo project that is in no repository.
func demoProject(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	must(t, os.CopyFS(root, os.DirFS(filepath.Join(examples, "demo-project"))))
	return root
}

// demoQuestion is one that the demo project answers, and where.
type demoQuestion struct {
	Question string `json:"question"`
	Path     string `json:"path"`
}

func demoQuestions(t *testing.T) []demoQuestion {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(examples, "questions.json"))
	must(t, err)
	var questions []demoQuestion
	must(t, json.Unmarshal(content, &questions))
	return questions
}

// The questions that the demo asks find the documents that answer them, by a
// real model.
func TestDemo_QuestionsFindTheirDocument(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "questions of whole collections are judged")
	session := connect(t, server(t,
		"CDOCS_DATABASE_URL="+testenv.DatabaseURL(t), "CDOCS_OLLAMA_HOST="+testenv.OllamaHost(t), "CDOCS_LOG_LEVEL=warn"))
	activateWhole(t, session, demoProject(t))
	questions := demoQuestions(t)
	if len(questions) != 10 {
		t.Errorf("%d questions, want 10", len(questions))
	}
	for _, q := range questions {
		var answer struct {
			Results []struct {
				Path string `json:"path"`
			} `json:"results"`
		}
		if call(t, session, "semantic_search", map[string]any{"query": q.Question}, &answer) || len(answer.Results) == 0 {
			t.Errorf("%q finds nothing", q.Question)
			continue
		}
		if diff := cmp.Diff(q.Path, answer.Results[0].Path); diff != "" {
			t.Errorf("%q finds first (-want +got):\n%s", q.Question, diff)
		}
	}
	must(t, session.Close())
}
