package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/gitrepo"
	"github.com/compound-docs/compound-docs/test/testenv"
)

const examples = "../../examples"

// demoProject returns a copy of the demo project that is in no repository.
func demoProject(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	if err := os.CopyFS(root, os.DirFS(filepath.Join(examples, "demo-project"))); err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	var questions []demoQuestion
	if err := json.Unmarshal(content, &questions); err != nil {
		t.Fatal(err)
	}
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
	if err := session.Close(); err != nil {
		t.Error(err)
	}
}

// ragAnswer has the fields of an answer of rag_query that these tests check.
type ragAnswer struct {
	Answer  string `json:"answer"`
	Sources []struct {
		Path           string  `json:"path"`
		PromotionLevel string  `json:"promotion_level"`
		RelevanceScore float64 `json:"relevance_score"`
		StartLine      int     `json:"start_line"`
		EndLine        int     `json:"end_line"`
	} `json:"sources"`
	LinkedDocs []struct {
		Path       string `json:"path"`
		LinkedFrom string `json:"linked_from"`
	} `json:"linked_docs"`
}

func (a ragAnswer) paths() []string {
	paths := []string{}
	for _, s := range a.Sources {
		paths = append(paths, s.Path)
	}
	for _, l := range a.LinkedDocs {
		paths = append(paths, l.Path)
	}
	return paths
}

// The sources of rag_query are the documents that the language model was given: the documents
// found, the critical ones, and their links.
func TestDemo_AnswerIsDrawnFromItsSources(t *testing.T) {
	t.Parallel()
	fake := fakeollama.Start(t)
	session := connect(t, server(t, "CDOCS_DATABASE_URL="+testenv.DatabaseURL(t), "CDOCS_OLLAMA_HOST="+fake.URL()))
	root := demoProject(t)
	activateWhole(t, session, root)
	q := demoQuestions(t)[0]
	var answer ragAnswer
	if call(t, session, "rag_query", map[string]any{"query": q.Question}, &answer) {
		t.Fatal("rag_query fails")
	}
	if want := "This is an answer to: Question: " + q.Question; answer.Answer != want {
		t.Errorf("the answer is %q, want the model's %q", answer.Answer, want)
	}
	critical, found := []string{}, false
	for _, s := range answer.Sources {
		found = found || s.Path == q.Path
		if s.PromotionLevel == "critical" {
			critical = append(critical, s.Path)
		}
	}
	slices.Sort(critical)
	if diff := cmp.Diff(criticalDocuments(t, root), critical); diff != "" || len(critical) == 0 {
		t.Errorf("critical documents among the sources (-want +got):\n%s", diff)
	}
	if !found {
		t.Errorf("%s is not a source: %+v", q.Path, answer.Sources)
	}
	if len(answer.LinkedDocs) == 0 {
		t.Error("no linked documents")
	}
	for _, linked := range answer.LinkedDocs {
		if !slices.Contains(answer.paths(), linked.LinkedFrom) {
			t.Errorf("%s is linked from %s, which is not in the answer", linked.Path, linked.LinkedFrom)
		}
		if !strings.Contains(read(t, root, linked.LinkedFrom), filepath.Base(linked.Path)) {
			t.Errorf("%s has no link to %s", linked.LinkedFrom, linked.Path)
		}
	}

	chats := fake.Requests("/api/chat")
	if len(chats) != 1 {
		t.Fatalf("%d prompts, want 1", len(chats))
	}
	prompt := chats[0].User
	for _, path := range answer.paths() {
		if !strings.Contains(prompt, `path="`+path+`"`) {
			t.Errorf("the prompt does not hold %s", path)
		}
	}
	if got := strings.Count(prompt, "<document "); got != len(answer.paths()) {
		t.Errorf("the prompt holds %d documents, the answer names %d", got, len(answer.paths()))
	}
	for _, s := range answer.Sources {
		if s.PromotionLevel == "critical" && s.RelevanceScore < 0.1 {
			continue // of a rule about something else only the beginning is quoted
		}
		lines := strings.Split(read(t, root, s.Path), "\n")
		passage := strings.Join(lines[s.StartLine-1:s.EndLine], "\n")
		if s.StartLine == 1 { // front matter, which is quoted in words
			_, passage, _ = strings.Cut(passage, "\nsummary: ")
			passage, _, _ = strings.Cut(passage, "\n")
		}
		if strings.TrimSpace(passage) == "" || !strings.Contains(prompt, passage) {
			t.Errorf("the prompt lacks lines %d to %d of %s:\n%s", s.StartLine, s.EndLine, s.Path, passage)
		}
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
}

// criticalDocuments returns the paths of the documents whose front matter says
// that they are critical.
func criticalDocuments(t *testing.T, root string) []string {
	t.Helper()
	level := regexp.MustCompile(`(?m)^promotion_level: critical$`)
	files, err := filepath.Glob(filepath.Join(root, "csharp-compounding-docs", "*", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	paths := []string{}
	for _, file := range files {
		path, err := filepath.Rel(root, file)
		if err != nil {
			t.Fatal(err)
		}
		if level.MatchString(read(t, root, path)) {
			paths = append(paths, "./"+filepath.ToSlash(path))
		}
	}
	slices.Sort(paths)
	return paths
}

func read(t *testing.T, root, name string) string {
	t.Helper()
	return gitrepo.At(t, root).Read(name)
}
