package holds

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/newproject"
)

// dated are an earlier and a later document. Neither names the other.
type dated struct{ earlier, later, question, code string }

// alternative is {a;b}, which is a in the earlier document and b in the later one.
var alternative = regexp.MustCompile(`\{([^;{}]*);([^;{}]*)\}`)

// readDated returns the pairs of a file, and their documents. The later document is the first by name in half
// of the pairs. Every fourth earlier one cites a file.
func readDated(t *testing.T, name string) (pairs []dated, files []txtar.File) {
	t.Helper()
	content, err := os.ReadFile("testdata/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		fields := strings.Split(strings.TrimSpace(line), " | ")
		if line[0] == '#' {
			continue
		}
		if len(fields) == 3 {
			both := strings.Join(fields[:2], " | ")
			fields = strings.Split(alternative.ReplaceAllString(both, "$1")+" | "+alternative.ReplaceAllString(both, "$2")+" | "+fields[2], " | ")
		}
		n := len(pairs)
		p := dated{fmt.Sprintf("docs/%s-%02da.md", name, n), fmt.Sprintf("docs/%s-%02db.md", name, n), fields[4], ""}
		if n%2 == 0 {
			p.earlier, p.later = p.later, p.earlier
		}
		if n%4 == 0 {
			p.code = fmt.Sprintf("src/%s_%02d.go", name, n)
			fields[1] += " See `" + p.code + "`."
			files = append(files, txtar.File{Name: p.code, Data: []byte("package src\n")})
		}
		day := time.Date(2024, 1, n, 0, 0, 0, 0, time.UTC)
		write := func(file string, day time.Time, title, text string) {
			text = strings.ReplaceAll(text, " / ", "\n\n")
			data := fmt.Sprintf("---\ndate: %s\n---\n# %s\n\n%s\n", day.Format(time.DateOnly), title, text)
			files = append(files, txtar.File{Name: file, Data: []byte(data)})
		}
		write(p.earlier, day, fields[0], fields[1])
		write(p.later, day.AddDate(0, 0, 1+n*n), fields[2], fields[3])
		pairs = append(pairs, p)
	}
	return pairs, files
}

func TestInit_LaterTextOnTheSameSubjectIsNamed(t *testing.T) {
	t.Parallel()
	for _, set := range []string{"", "2"} {
		t.Run("set"+set, func(t *testing.T) {
			t.Parallel()
			pairs, files := readDated(t, "newer"+set)
			others, more := readDated(t, "alike"+set)
			client := newproject.Serve(t, slices.Concat(files, more))
			atLeast := func(what string, got, of int) {
				t.Helper()
				t.Logf("%s: %d of %d", what, got, of)
				if 10*got < 9*of {
					t.Errorf("%s: %d of %d, want 9 of 10", what, got, of)
				}
			}
			named, kept := 0, 0
			for _, p := range pairs {
				if first, marked := orderOf(t, client, p); first == p.later || marked {
					named++
				} else {
					t.Logf("the earlier alone: %s", p.question)
				}
			}
			for _, p := range others {
				if _, marked := orderOf(t, client, p); !marked {
					kept++
				} else {
					t.Logf("marked although the subject is another: %s", p.question)
				}
			}
			atLeast("the later is first, or named beside the earlier", named, len(pairs))
			atLeast("not marked", kept, len(others))
			checkPointers(t, client, pairs)
		})
	}
}

// orderOf returns which of two documents comes first in the answer to their question, and whether the earlier one is marked.
func orderOf(t *testing.T, client *mcpclient.Client, p dated) (first string, marked bool) {
	t.Helper()
	var got struct {
		Results   []document `json:"results"`
		MayAnswer []document `json:"may_answer"`
	}
	if err := client.Call(t.Context(), "semantic_search", map[string]any{"query": p.question}, &got); err != nil {
		t.Fatal(err)
	}
	for _, d := range slices.Concat(got.Results, got.MayAnswer) {
		d.Path = strings.TrimPrefix(d.Path, "./")
		if d.Path == p.later || d.Path == p.earlier {
			first = cmp.Or(first, d.Path)
			marked = marked || d.Path == p.earlier && d.Status == "newer: ./"+p.later
		}
	}
	return first, marked
}

// checkPointers looks at the hooks of prompts, and of edits of files that only the earlier document cites.
func checkPointers(t *testing.T, client *mcpclient.Client, pairs []dated) {
	t.Helper()
	counts := map[string]int{}
	for i, p := range pairs {
		events := []map[string]any{{"event": "UserPromptSubmit", "session_id": fmt.Sprint("prompt", i), "prompt": p.question}}
		if p.code != "" {
			events = append(events, map[string]any{
				"event": "PreToolUse", "session_id": fmt.Sprint("edit", i), "tool_name": "Edit", "file_path": p.code, "new_string": "x",
			})
		}
		for _, event := range events {
			said, err := client.Text(t.Context(), "recall", event)
			if err != nil {
				t.Fatal(err)
			}
			kind := fmt.Sprint(event["event"])
			switch isEarlier := strings.Contains(said, ": ./"+p.earlier); {
			case isEarlier && !strings.Contains(said, "newer: ./"+p.later):
				counts[kind+" earlier alone"]++
				t.Logf("a hook points to the earlier: %s", said)
			case isEarlier || strings.Contains(said, ": ./"+p.later):
				counts[kind]++
			}
		}
	}
	t.Logf("pointers: %v", counts)
	for kind, times := range map[string]int{"UserPromptSubmit": 3, "PreToolUse": 1} {
		if counts[kind] <= times*counts[kind+" earlier alone"] {
			t.Errorf("%s names the later %d times, and the earlier alone %d times", kind, counts[kind], counts[kind+" earlier alone"])
		}
	}
}
