package tools_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/golden"
	"github.com/compound-docs/compound-docs/test/toolexample"
	"github.com/compound-docs/compound-docs/tools"
)

// transcript runs the cases of one example file, on a new server with a copy of testdata/project.
type transcript struct {
	fixture *fixture
	client  client
	root    string
}

// Every case of an example file gives the answer in the file, in both versions of the
// protocol. The answers fit the declared schema, and show every declared field.
func TestContract_Examples(t *testing.T) {
	t.Parallel()
	for _, group := range tools.Groups() {
		for _, tool := range group.Tools {
			want := readExamples(t, tool.Name)
			for name, version := range protocolVersions() {
				t.Run(tool.Name+"/"+name, func(t *testing.T) {
					t.Parallel()
					f := setup(t)
					run := transcript{fixture: f, client: connect(t, f.server, version), root: copyProject(t, "testdata/project")}
					got := want
					got.Cases = nil
					for _, c := range want.Cases {
						run.prepare(t, c.Before)
						got.Cases = append(got.Cases, run.call(t, tool.Name, c))
					}
					compareJSON(t, "examples/"+tool.Name+".json", got)
					checkAnswers(t, tool, got)
				})
			}
		}
	}
}

func readExamples(t *testing.T, tool string) toolexample.File {
	t.Helper()
	f, err := toolexample.Read("..", tool)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (r transcript) prepare(t *testing.T, before toolexample.Before) {
	t.Helper()
	for path, content := range before.Files {
		write(t, r.root, path, content)
	}
	if before.Handbook != nil {
		r.fixture.ingest(t, before.Handbook)
	}
	if before.Activate {
		r.client.activate(t, r.root)
	}
	if before.ModelAnswers != "" {
		r.fixture.fake.SetAnswer(func(string, string) []string { return strings.SplitAfter(before.ModelAnswers, " ") })
	}
	if before.OllamaFails != "" {
		r.fixture.fake.SetFaults(fakeollama.Faults{Paths: []string{before.OllamaFails}, Status: 500, Message: "the model crashed"})
	}
}

// call makes the call of a case, and returns the case with the answer.
func (r transcript) call(t *testing.T, tool string, c toolexample.Case) toolexample.Case {
	t.Helper()
	if tool == "activate_project" {
		defer r.holdEmbedding()()
	}
	a := r.client.ask(t, tool, c.ArgumentsAt(r.root))
	c.Answer, c.Text, c.Error = nil, "", nil
	text := r.normalise(a.Text)
	switch {
	case a.IsError:
		if err := json.Unmarshal([]byte(text), &c.Error); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	case a.Structured == nil:
		c.Text = text
	default:
		c.Answer = json.RawMessage(r.normalise(string(a.Structured)))
	}
	return c
}

// holdEmbedding keeps passages from being embedded until release is called, so that an
// activation ends before it, as that of a real project does.
func (r transcript) holdEmbedding() (release func()) {
	goOn := make(chan struct{})
	r.fixture.fake.Observe(func(request *http.Request) {
		if request.URL.Path == "/api/embed" {
			<-goOn
		}
	})
	return func() { close(goOn) }
}

var (
	embedding  = regexp.MustCompile(`("embedding": ?)\d+`)
	searchTime = regexp.MustCompile(`(Search time: )\d+\.\d{3}s`)
	timestamp  = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
)

// normalise replaces what differs from run to run.
func (r transcript) normalise(text string) string {
	text = searchTime.ReplaceAllString(text, "${1}0.012s")
	text = embedding.ReplaceAllString(text, "${1}12")
	text = timestamp.ReplaceAllString(text, "2025-01-22T09:30:00Z")
	return strings.NewReplacer(
		r.root, toolexample.Root,
		project.PathHash(r.root), toolexample.PathHash,
		r.fixture.fake.URL(), "http://localhost:11434",
	).Replace(text)
}

// compareJSON compares a value with the file of testdata that holds it as JSON.
func compareJSON(t *testing.T, name string, value any) {
	t.Helper()
	var got strings.Builder
	encoder := json.NewEncoder(&got)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "\t")
	if err := encoder.Encode(value); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, filepath.Join("testdata", name), got.String())
}
