package answer_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/answer"
	"github.com/compound-docs/compound-docs/test/ragtest"
)

// Of planted contradictions most stand together in an answer that draws on both, and of
// answers from documents that do not contradict each other few have a pair.
func TestAsk_NamesDocumentsThatMayContradict(t *testing.T) {
	t.Parallel()
	const docs = "csharp-compounding-docs/"
	f := setup(t)
	files, questions := evaluationSet(t)
	contradictions := ragtest.Contradictions(t)
	if failures := f.AddText(t, f.Tenant, files...); len(failures) > 0 {
		t.Fatal(failures)
	}
	query := func(text string) answer.Question {
		return answer.Question{Query: rag.Query{Text: text, MinScore: 0.5, Mode: rag.Lexical}, IncludeCritical: true}
	}
	several, paired := 0, 0
	for _, question := range questions {
		answered := ask(t, f, query(question))
		if len(answered.Sources) > 1 {
			several++
		}
		if len(answered.Conflicts) > 0 {
			paired++
			t.Logf("%s: %v", question, answered.Conflicts)
		}
	}
	var planted []document.File
	for i, c := range contradictions {
		planted = append(planted, file(fmt.Sprintf("%sinsights/planted-%d.md", docs, i), "---", "title: "+c.Title, "date: 2026-01-02", "---", "", c.Text))
	}
	f.AddText(t, f.Tenant, planted...)
	reached, named := 0, 0
	for i, c := range contradictions {
		answered := ask(t, f, query(c.Question))
		want := answer.Conflict{Later: planted[i].Path, Earlier: docs + c.Of}
		both := slices.Contains(paths(answered.Sources), want.Later) && slices.Contains(paths(answered.Sources), want.Earlier)
		if both {
			reached++
		}
		if slices.Contains(answered.Conflicts, want) {
			named++
			chats := f.Fake.Requests("/api/chat")
			if prompt := chats[len(chats)-1].User; !strings.Contains(prompt, "may contradict ./"+want.Later) {
				t.Errorf("the prompt does not name %s:\n%s", want.Later, prompt)
			}
		} else {
			t.Logf("%s: both reached %v, conflicts %v", c.Question, both, answered.Conflicts)
		}
	}
	got := fmt.Sprintf("%d of %d planted pairs reach an answer, and %d are named; %d of %d answers from other documents name a pair",
		reached, len(contradictions), named, paired, several)
	t.Log(got)
	if named < len(contradictions)*9/10 || paired > several/6 {
		t.Error(got)
	}
}

// evaluationSet returns the documents and the questions of the evaluation set.
func evaluationSet(t *testing.T) (files []document.File, questions []string) {
	t.Helper()
	corpus := os.DirFS("../../test/eval/corpus")
	err := fs.WalkDir(corpus, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".md" {
			return err
		}
		content, err := fs.ReadFile(corpus, name)
		files = append(files, file(name, string(content)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	list, err := corpus.Open("queries.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(list)
	for lines.Scan() {
		var question struct {
			Text string `json:"text"`
		}
		if err := json.Unmarshal(lines.Bytes(), &question); err != nil {
			t.Fatal(err)
		}
		questions = append(questions, question.Text)
	}
	return files, questions
}
