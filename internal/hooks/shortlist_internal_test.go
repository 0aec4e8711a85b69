package hooks

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

const aTask = "The importer of tide tables stops at the last day of the month and drops what it has read. Find out why, and mend it."

// scored is a document about the subject of [aTask] that a search has found.
func scored(path string, score float64) candidate {
	return candidate{
		Hit: rag.Hit{Path: path, Title: "The tide tables", Summary: "The importer drops the end of a month.", Score: score},
		why: "answers this",
	}
}

func TestEvent_Task(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]bool{
		aTask: true, "hi": false, "": false, "use the same style as the rest of the file": false, "/cdocs:capture " + aTask: false,
		"/etc/hosts is wrong after the update: " + aTask: true, strings.Repeat("and so on\n", 4_000) + aTask: true,
	} {
		if got := (Event{Event: Prompt, Prompt: prompt}).task() != ""; got != want {
			t.Errorf("%q is a task: %v", prompt, got)
		}
	}
	if (Event{Event: Before, Prompt: aTask}).task() != "" {
		t.Error("the task of a subagent is one of the session")
	}
}

// The first task gets a shortlist, and the next one only a document that is as sure as before. A compaction begins again.
func TestDecide_ListsAtTheFirstTask(t *testing.T) {
	t.Parallel()
	project := repo()
	project.Settings.RecallThreshold = .95
	task, chat := Event{Event: Prompt, Prompt: aTask}, Event{Event: Prompt, Prompt: "hello there"}
	old, proposed := scored("docs/old.md", .9), scored("docs/a.md", .8)
	old.Status, proposed.Status = catalog.Replaced, catalog.Proposed
	found := []candidate{old, proposed, scored("docs/b.md", .6), scored("docs/c.md", .55), scored("docs/d.md", .51)}
	var s Session
	say := func(e Event, found ...candidate) string {
		said := decide(s, project, e, usable(e.act(), found))
		s.note(project, e, said)
		return said.text
	}
	if got := say(chat, found...); got != "" || s.Listed {
		t.Errorf("a greeting gets %q", got)
	}
	got := say(task, found...)
	for _, want := range []string{"./docs/a.md ", "(proposed);", "./docs/b.md ", "./docs/c.md ", "semantic_search"} {
		if !strings.Contains(got, want) {
			t.Errorf("the first task gets %q, want %q in it", got, want)
		}
	}
	if strings.Contains(got, "old.md") || strings.Contains(got, "d.md") || utf8.RuneCountInString(got) > maxShortlist {
		t.Errorf("the first task gets %q", got)
	}
	if got := say(task, scored("docs/e.md", .9)); got != "" {
		t.Errorf("the second task gets %q", got)
	}
	if got := say(task, scored("docs/e.md", .96)); !strings.Contains(got, "docs/e.md") || strings.Contains(got, seeMore) {
		t.Errorf("a sure document after the first task: %q", got)
	}
	s.Compact()
	if got := say(task, scored("docs/a.md", .8)); !strings.Contains(got, "docs/a.md") || !strings.HasSuffix(got, seeMore) {
		t.Errorf("after a compaction the task gets %q", got)
	}
}

// A document leads if it is near to the task, whatever it scores, or is named.
func TestCandidate_Leads(t *testing.T) {
	t.Parallel()
	near := scored("docs/n.md", .3)
	other := scored("docs/u.md", .9)
	other.Title, other.Summary = "Colours of buttons", "Grey on white is hard to read."
	among := near
	among.Title, among.Summary = "Tables", "The month."
	behind := among
	among.Passages = 1_000_000
	named := other
	named.named = " colours "
	for name, test := range map[string]struct {
		candidate

		want bool
	}{"near": {near, true}, "far": {other, false}, "near among very many": {among, false}, "less near": {behind, true}, "named": {named, true}} {
		if got := forTask(aTask, []candidate{test.candidate}); len(got) > 0 != test.want {
			t.Errorf("%s leads: %v", name, got)
		}
	}
	near.ID, other.ID, among.ID, behind.ID = 1, 2, 3, 4
	if got := forTask(aTask, []candidate{other, near, among, behind}); len(got) != 1 || got[0].ID != near.ID {
		t.Errorf("want the near document alone, got %d", len(got))
	}
	s, project := Session{}, repo()
	project.Settings.RecallThreshold = .95
	said := decide(s, project, Event{Event: Prompt, Prompt: aTask}, []candidate{other})
	s.note(project, Event{Event: Prompt, Prompt: aTask}, said)
	if said.text != "" || !s.Listed {
		t.Errorf("a task without a leading document gets %q", said.text)
	}
}

// Documents at acts leave the room for the answers to questions, and a shortlist takes none.
func TestAdmits_KeepsRoomForQuestions(t *testing.T) {
	t.Parallel()
	s, project := Session{}, repo()
	listed := decide(s, project, Event{Event: Prompt, Prompt: aTask}, []candidate{scored("docs/l.md", .99)})
	s.note(project, Event{Event: Prompt, Prompt: aTask}, listed)
	ask := func(of string) {
		for i := range 20 {
			step(&s, Event{Event: Prompt, Prompt: "why?"}, about(fmt.Sprintf("docs/%s%d.md", of, i)))
		}
	}
	ask("first") // before any call of a tool
	answers := len(s.Shown) - 1
	for i := range 20 {
		step(&s, Event{Event: Before, Command: fmt.Sprint("make ", i)}, about(fmt.Sprintf("docs/%d.md", i)))
	}
	ask("second")
	if acts := len(s.Shown) - 1 - answers; acts < 2 || acts > maxPointers || answers != maxAnswers {
		t.Errorf("%d documents are shown at acts and %d at questions", acts, answers)
	}
	if !slices.ContainsFunc(s.Shown, func(shown Shown) bool { return shown.Path == "docs/l.md" && shown.Size > 0 }) {
		t.Errorf("the list is not kept: %+v", s.Shown)
	}
}
