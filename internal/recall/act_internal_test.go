package recall

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/rag"
)

// A session of 200 calls gets at most six pointers and 500 tokens, and later calls get some again.
func TestChoose_HasABudget(t *testing.T) {
	t.Parallel()
	var s Session
	shown, size := 0, 0
	call := func(i int) string {
		s.Calls++
		hit := rag.Hit{Path: fmt.Sprintf("docs/%d.md", i), Title: "Title", Summary: "A summary of some words for this document.", StartLine: 1, EndLine: 9}
		text, _ := Choose(&s, "/repo", Event{Event: Before, Command: "x"}, []Candidate{{Hit: hit, Why: "same command"}}, false, time.Now())
		return text
	}
	for i := range windowCalls {
		if text := call(i); text != "" {
			shown, size = shown+1, size+len(text)
		}
	}
	if shown == 0 || shown > maxPointers || size > maxShownSize {
		t.Errorf("%d pointers of %d characters", shown, size)
	}
	if text := call(windowCalls); text == "" {
		t.Error("after 200 calls nothing is shown any more")
	}
	if text := call(windowCalls); text != "" {
		t.Errorf("the same document is shown again: %s", text)
	}
}

func TestSession_KnowsWhatFailedAndSucceeded(t *testing.T) {
	t.Parallel()
	s := Session{Shown: []Shown{{Path: "a.md", Command: "make x"}, {Path: "b.md"}}}
	s.Fail("make x")
	if s.Succeed("make y") || !s.Succeed(" make x\n") || s.Succeed("make x") {
		t.Error("it is not the failed command alone that succeeds, once")
	}
	if !s.Shown[0].Succeeded || s.Shown[1].Succeeded {
		t.Errorf("shown: %+v", s.Shown)
	}
	// A session is kept as JSON, which has no half characters.
	long := strings.Repeat("x", maxCommand-1) + "üüü"
	s.Fail(long)
	kept, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var read Session
	if err := json.Unmarshal(kept, &read); err != nil || !read.Succeed(long) {
		t.Errorf("a long command that failed is not known any more: %q, %v", read.Failed, err)
	}
	for i := range 3 * maxKept {
		s.Fail(fmt.Sprint(i))
		s.Delegate(Task{Text: fmt.Sprint(i)})
	}
	if len(s.Failed) != maxKept || len(s.Tasks) != maxKept {
		t.Errorf("%d failures and %d tasks are kept", len(s.Failed), len(s.Tasks))
	}
}

// Subagents of different kinds may begin in another order than their tasks.
func TestSession_BeginsTasksInOrder(t *testing.T) {
	t.Parallel()
	var s Session
	for _, task := range []Task{{"a", "1"}, {"b", ""}, {"a", "2"}, {"c", "3"}} {
		s.Delegate(task)
	}
	got := fmt.Sprintf("%q", []string{s.Begin("c"), s.Begin("a"), s.Begin("b"), s.Begin("a"), s.Begin("a")})
	if want := `["3" "1" "" "2" ""]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestIsListing(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]bool{
		"## See also\n\n- [The pool of connections](pool.md)\n- https://example.org/pool\n": true,
		"# One\n## Two\n### Three of them\nshort":                                           true,
		"## Cause\n\nThe pool was too small, see [the pool](pool.md).":                      false,
		"title: Pool\ntags: pool; db":                                                       false,
		"":                                                                                  false,
	} {
		if got := IsListing(content); got != want {
			t.Errorf("%q: %v", content, got)
		}
	}
}
