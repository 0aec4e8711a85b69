package hooks

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// repo is a project whose own documents are below docs/.
func repo() Project {
	return Project{
		Root: "/repo", Settings: project.Settings{Recall: project.RecallGuard}, Config: project.DefaultConfig(),
		IsDocument: func(path string) bool { return strings.HasPrefix(path, "docs/") },
	}
}

// step handles an event for which documents were found, and returns the text of the hook.
func step(s *Session, e Event, found ...candidate) string {
	said := decide(*s, repo(), e, usable(e.act(), found))
	s.note(repo(), e, said)
	if e.act() == delegating { // the subagent hears it
		return ""
	}
	return said.text
}

func about(path string) candidate {
	hit := rag.Hit{Path: path, Title: "Title", Level: catalog.Critical, Summary: "A summary of some words for this document.", StartLine: 1, EndLine: 9}
	return candidate{Hit: hit, why: "same command"}
}

// A session of 200 calls is told at most six documents, and 500 tokens with what it is asked to write down, whatever
// the calls are. Later calls are told documents again.
func TestDecide_HasABudget(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a", "a-name-that-takes-the-room-of-other-documents-because-it-is-long"} {
		s, said := Session{RemindDue: true}, ""
		for i := range windowCalls {
			command := fmt.Sprint("make ", i/2)
			act := []Event{
				{Event: Before, Command: command}, {Event: Before, ToolName: "Write", FilePath: "src/a.go"}, {Event: Before, Prompt: "look"},
			}[i%3]
			said += step(&s, act, about(fmt.Sprintf("docs/%s-%d.md", name, i)))
			for _, e := range []Event{
				{Event: Failure, Command: command}, {Event: After, Command: command}, {Event: Started}, {Event: Prompt, Prompt: "continue"},
			} {
				said += step(&s, e)
			}
		}
		if shown := len(s.Shown); shown < 3 || shown > 6 {
			t.Errorf("%s: %d documents are shown", name, shown)
		}
		const tokens, bytesOfToken = 500, 3.5 // a high estimate for English
		if float64(len(said)) > tokens*bytesOfToken {
			t.Errorf("%s: the session is told %d bytes", name, len(said))
		}
		if !strings.Contains(said, solved) || !strings.Contains(said, reminder) {
			t.Errorf("%s: the session is not asked to write down what it has learned: %s", name, said)
		}
		if text := step(&s, Event{Event: Before, Command: "x"}, about("docs/late.md")); text == "" {
			t.Errorf("%s: after 200 calls nothing is shown any more", name)
		}
	}
}

// Only the command that failed succeeds, and the assistant is asked to write down why once in a session that has
// written nothing.
func TestDecide_AsksAfterAFailureThatWasSolved(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxCommand-1) + "üüü" // a session is kept as JSON, which has no half characters
	for _, command := range []string{"make x", long} {
		s := &Session{}
		fail, succeed := Event{Event: Failure, Command: command}, Event{Event: After, Command: " " + command + "\n"}
		if step(s, succeed) != "" || step(s, fail, about("docs/a.md")) == "" || step(s, Event{Event: After, Command: "make y"}) != "" {
			t.Error("want one pointer, after the failure")
		}
		kept, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		s = &Session{}
		if err := json.Unmarshal(kept, s); err != nil {
			t.Fatal(err)
		}
		writer := &Session{Failed: s.Failed, Wrote: true}
		got := []string{step(s, succeed), step(s, succeed), step(s, fail), step(s, succeed), step(writer, succeed)}
		if want := []string{solved, "", "", "", ""}; fmt.Sprint(got) != fmt.Sprint(want) || len(s.Failed)+len(writer.Failed) > 0 {
			t.Errorf("the session is told %q, and still has %q", got, s.Failed)
		}
	}
}

// Subagents of different kinds may begin in another order than their tasks.
func TestDecide_TellsSubagentsInTheirOrder(t *testing.T) {
	t.Parallel()
	s := Session{Tasks: []Task{{"a", "1"}, {"b", ""}, {"a", "2"}, {"c", "3"}}}
	var got []string
	for _, agent := range []string{"c", "a", "b", "a", "a"} {
		got = append(got, step(&s, Event{Event: Started, Agent: agent}))
	}
	if want := []string{"3", "1", "", "2", ""}; fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A compaction loses what the assistant was told. Writing documents is noted.
func TestSession_ForgetsWhatWasCompacted(t *testing.T) {
	t.Parallel()
	var s Session
	prompt, act := Event{Event: Prompt, Prompt: "why?"}, Event{Event: Before, Command: "make"}
	document := about("docs/a.md")
	if step(&s, prompt, document) == "" || step(&s, prompt, document) != "" || step(&s, act, about("docs/b.md")) == "" {
		t.Error("want each document once")
	}
	s.Compact()
	if step(&s, prompt, document) == "" || step(&s, prompt) != reminder || step(&s, prompt) != "" {
		t.Error("after a compaction, want the document again, and one reminder")
	}
	step(&s, Event{Event: Before, ToolName: "Write", FilePath: "src/a.go"})
	if s.Wrote {
		t.Error("code is no document")
	}
	step(&s, Event{Event: Before, ToolName: "Write", FilePath: "docs/new.md"})
	if s.Compact(); s.RemindDue || s.Wrote {
		t.Errorf("after a document and a compaction: %+v, want no reminder", s)
	}
	quiet := repo()
	quiet.Settings.Recall = project.RecallPrompt
	if said := decide(Session{RemindDue: true}, quiet, prompt, nil); said.text != "" {
		t.Errorf("where only prompts are answered: %q", said.text)
	}
}

func TestNote_IsBounded(t *testing.T) {
	t.Parallel()
	var s Session
	for i := range 3 * maxKept {
		step(&s, Event{Event: Failure, Command: fmt.Sprint(i)})
		step(&s, Event{Event: Before, Prompt: fmt.Sprint(i)})
	}
	if len(s.Failed) != maxKept || len(s.Tasks) != maxKept {
		t.Errorf("%d failures and %d tasks are kept", len(s.Failed), len(s.Tasks))
	}
}

// Each rule of a document is heard once, whatever else of it was shown. Scopes are heard three times in a session.
func TestDecide_OnceForEachRule(t *testing.T) {
	t.Parallel()
	rule := func(name string) candidate {
		c := about("docs/vault.md")
		c.rule = name
		return c
	}
	var s Session
	run := Event{Event: Before, Command: "make"}
	got := []bool{
		step(&s, Event{Event: Prompt, Prompt: "why?"}, about("docs/vault.md")) != "", step(&s, run, rule("seal")) != "", step(&s, run, rule("seal")) != "",
		step(&s, run, rule("destroy")) != "", step(&s, run, about("docs/vault.md")) != "",
	}
	if want := []bool{true, true, false, true, false}; !slices.Equal(got, want) {
		t.Errorf("heard: %v, want %v", got, want)
	}
	s = Session{}
	heard := 0
	for i := range 5 {
		c := about(fmt.Sprintf(".claude/rules/%d.md", i))
		c.scope, c.rule = true, "paths"
		if step(&s, Event{Event: Before, ToolName: "Write", FilePath: "src/a.go"}, c) != "" {
			heard++
		}
	}
	if heard != maxScopes {
		t.Errorf("%d scopes are heard", heard)
	}
}

// Only an act that has not happened yet is denied.
func TestDecide_DeniesNothingAfterTheAct(t *testing.T) {
	t.Parallel()
	for _, late := range []bool{false, true} {
		act := Event{Event: Before, Command: "terraform apply", Late: late}
		said := decide(Session{}, repo(), act, usable(act.act(), []candidate{about("docs/a.md")}))
		if said.text == "" || said.deny == late {
			t.Errorf("late %t: it says %q and denies: %t", late, said.text, said.deny)
		}
	}
}
