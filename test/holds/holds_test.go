// Package holds tests that what was overruled is never taken for what holds: in an ordinary repository after
// compound-docs init alone, over MCP, without a model server.
//
// testdata/forms.txtar has the forms in which people say that one document replaces another, subjects.txt what
// such documents are about. Each question has the words of the older document.
package holds

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/compound-docs/compound-docs/test/newproject"
	"github.com/compound-docs/compound-docs/test/testenv"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

// pair is a document, a later one that replaces or amends it, and a question in the words of the older.
type pair struct {
	form, older, later, question, code string
	files                              []txtar.File
}

// pairs gives each subject a form, and each form a subject.
func pairs(t *testing.T) []pair {
	t.Helper()
	forms, err := txtar.ParseFile("testdata/forms.txtar")
	if err != nil {
		t.Fatal(err)
	}
	subjects, err := os.ReadFile("testdata/subjects.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []pair
	for subject := range strings.Lines(string(subjects)) {
		fields := strings.Split(strings.TrimSpace(subject), " | ")
		if len(fields) == 5 && subject[0] != '#' {
			all = append(all, pairOf(forms.Files, len(all), fields))
		}
	}
	return all
}

// pairOf fills one form. Decisions have the same numbers in each folder.
func pairOf(forms []txtar.File, i int, subject []string) pair {
	number := i/(len(forms)/2) + 3
	slug := func(title string) string { return strings.ReplaceAll(strings.ToLower(title), " ", "-") }
	code := "src/" + slug(subject[0]) + ".go"
	values := []string{
		"{Old}", subject[0], "{New}", subject[2], "{old}", slug(subject[0]), "{new}", slug(subject[2]), "{New%20}", url.PathEscape(subject[2]),
		"{oldtext}", subject[1] + " The code is in `" + code + "`.", "{newtext}", subject[3],
	}
	for letter, n := range map[string]int{"o": number, "n": number + 8} {
		values = append(values, "{"+letter+"}", strconv.Itoa(n), "{"+letter+"3}", fmt.Sprintf("%03d", n), "{"+letter+"4}", fmt.Sprintf("%04d", n))
	}
	fill := strings.NewReplacer(values...).Replace
	p := pair{question: subject[4], code: code, files: []txtar.File{{Name: code, Data: []byte("package src\n")}}}
	for _, file := range forms[2*i%len(forms):][:2] {
		p.files = append(p.files, txtar.File{Name: fill(file.Name), Data: []byte(fill(string(file.Data)))})
	}
	p.form, _, _ = strings.Cut(p.files[1].Name, "/")
	p.older, p.later = p.files[1].Name, p.files[2].Name
	return p
}

// document is one in the answer of semantic_search.
type document struct {
	Path   string  `json:"path"`
	Score  float64 `json:"relevance_score"`
	Status string  `json:"status"`
}

func TestInit_LaterDocumentFirst(t *testing.T) {
	t.Parallel()
	all := pairs(t)
	var files []txtar.File
	for _, p := range all {
		files = append(files, p.files...)
	}
	client := newproject.Serve(t, files)
	held, pointers := 0, 0
	for i, p := range all {
		var got struct {
			Results   []document `json:"results"`
			MayAnswer []document `json:"may_answer"`
		}
		if err := client.Call(t.Context(), "semantic_search", map[string]any{"query": p.question}, &got); err != nil {
			t.Fatal(err)
		}
		faults := faultsOf(p, slices.Concat(got.Results, got.MayAnswer))
		for _, event := range []map[string]any{
			{"event": "UserPromptSubmit", "session_id": fmt.Sprint("prompt", i), "prompt": p.question},
			{"event": "PreToolUse", "session_id": fmt.Sprint("edit", i), "tool_name": "Edit", "file_path": p.code, "new_string": "x"},
		} {
			said, err := client.Text(t.Context(), "recall", event)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(said, ": ./"+p.older) {
				faults = append(faults, "a hook points to the older: "+said)
			}
			if strings.Contains(said, ": ./"+p.later) {
				pointers++
			}
		}
		if len(faults) == 0 {
			held++
		} else {
			t.Errorf("%s: %q: %s", p.form, p.question, strings.Join(faults, "; "))
		}
	}
	t.Logf("%d of %d pairs hold; hooks pointed %d times to the later document", held, len(all), pointers)
}

// faultsOf says what is wrong with a list for a pair's question.
func faultsOf(p pair, found []document) (faults []string) {
	place := func(file string) int {
		return slices.IndexFunc(found, func(d document) bool { return strings.TrimPrefix(d.Path, "./") == file })
	}
	older, later := place(p.older), place(p.later)
	if older < 0 {
		listed, _ := json.Marshal(found) //nolint:errchkjson // texts and numbers
		return []string{"the older is not found: " + string(listed)}
	}
	if later < 0 || later > older {
		faults = append(faults, fmt.Sprintf("the older is at %d, the later at %d", older, later))
	}
	if !strings.HasSuffix(found[older].Status, "ed by ./"+p.later) {
		faults = append(faults, "the older is marked "+cmp.Or(strconv.Quote(found[older].Status), "not"))
	}
	if later >= 0 && found[later].Status != "" {
		faults = append(faults, "the later is marked "+found[later].Status)
	}
	return faults
}
