package tools_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

var update = flag.Bool("update", false, "write the golden files of testdata")

// exchange is a call with its answer, as testdata/<tool>.golden holds them.
type exchange struct {
	Case      string          `json:"case"`
	Arguments json.RawMessage `json:"arguments"`
	Answer    json.RawMessage `json:"answer,omitempty"`
	Text      string          `json:"text,omitempty"`
	Error     json.RawMessage `json:"error,omitempty"`
}

// scene is a transcript in the making: one tool of a server of its own, with a
// copy of testdata/project.
type scene struct {
	*testing.T
	fixture   *fixture
	client    client
	tool      string
	root      string
	exchanges []exchange
	seen      map[string]bool
}

// call calls the tool and notes what it answers.
func (s *scene) call(name string, arguments any) {
	s.Helper()
	if arguments == nil {
		arguments = map[string]any{}
	}
	encoded, err := json.Marshal(arguments)
	if err != nil {
		s.Fatal(err)
	}
	a := s.client.ask(s.T, s.tool, arguments)
	e := exchange{Case: name, Arguments: s.normalise(string(encoded))}
	switch {
	case a.IsError:
		e.Error = s.normalise(a.Text)
	case a.Structured == nil:
		e.Text = string(s.normalise(a.Text))
	default:
		contracts()[s.tool].check(s.T, a.Structured, s.seen)
		e.Answer = s.normalise(string(a.Structured))
	}
	s.exchanges = append(s.exchanges, e)
}

var (
	searchTime = regexp.MustCompile(`(Search time: )\d+\.\d{3}s`)
	timestamp  = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
)

// normalise replaces what differs from run to run.
func (s *scene) normalise(text string) json.RawMessage {
	text = searchTime.ReplaceAllString(text, "${1}0.012s")
	text = timestamp.ReplaceAllString(text, "2025-01-22T09:30:00Z")
	return json.RawMessage(strings.NewReplacer(
		s.root, "/home/user/my-project",
		project.PathHash(s.root), "a1b2c3d4e5f60718",
		s.fixture.fake.URL(), "http://localhost:11434",
	).Replace(text))
}

func (s *scene) activate() {
	s.Helper()
	s.client.activate(s.T, s.root)
}

// ollamaFails makes Ollama fail at the path.
func (s *scene) ollamaFails(path string) {
	s.fixture.fake.SetFaults(fakeollama.Faults{Paths: []string{path}, Status: 500, Message: "the model crashed"})
}

// What the tools answer is what the specification says and what the golden files
// show, in both eras, and every field that the contract names occurs.
func TestContract_Transcripts(t *testing.T) {
	t.Parallel()
	for tool, play := range scenes() {
		for era, version := range eras() {
			t.Run(tool+"/"+era, func(t *testing.T) {
				t.Parallel()
				f := setup(t)
				s := &scene{
					T: t, fixture: f, client: connect(t, f.server, version), tool: tool,
					root: copyProject(t, "testdata/project"), seen: map[string]bool{},
				}
				play(s)
				// An index that is behind is shown by activate_project's transcript alone,
				// and what an answer has no room for by the tests of sizes.
				rare := regexp.MustCompile(`^(index|omitted|critical_not_considered)`)
				for path := range contracts()[tool].fieldsOf() {
					if !s.seen[path] && !rare.MatchString(path) {
						t.Errorf("no answer of the transcript has %s", path)
					}
				}
				golden(t, tool+".golden", s.exchanges)
			})
		}
	}
}

// golden compares a value with the file of testdata that holds it as JSON.
func golden(t *testing.T, name string, value any) {
	t.Helper()
	var got bytes.Buffer
	encoder := json.NewEncoder(&got)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s (-want +got); -update writes it anew:\n%s", path, diff)
	}
}

// tools/list as clients see it.
func TestContract_Snapshot(t *testing.T) {
	t.Parallel()
	server := setup(t).server
	for _, version := range eras() {
		list, err := connect(t, server, version).ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "tools.json", slices.Clone(list.Tools))
	}
}
