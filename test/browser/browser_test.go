// Package browser tries the page of a large project in a real browser. "make page" installs what drives
// the browser, and runs it where there is a Chromium.
package browser

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/docset/page"
	"github.com/compound-docs/compound-docs/internal/hooks"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/test/gitrepo"
)

//go:embed browser.mjs
var program []byte

const documents = 500

// hostile is a text that a browser would run, load or be led astray by.
const hostile = "<script>alert(1)</script> <img src=https://evil.example/x onerror=alert(2)> ![x](https://evil.example/y.png)\n\n" +
	"[a](javascript:alert(3)) [b](data:text/html,<script>alert(4)</script>) <a href=javascript:alert(5)>c</a> <p onclick=alert(6)>d</p>\n\n" +
	"<style>@import 'https://evil.example/z.css'; * { display: none }</style> <h1 id=find>e</h1> <iframe src=https://evil.example></iframe>\n"

// rich is a text with everything that the page can show.
const rich = "## More\n\n> [!NOTE]\n> One.\n\n> [!tip] A title\n> Two.\n\n> [!IMPORTANT]\n> Three.\n\n> [!WARNING]\n> Four.\n\n> [!bug]\n> Five.\n\n" +
	"![A dot](dot.svg)\n\n```python\n# A comment\n@decorated\ndef f(x: int) -> str:\n    return f\"{x}\" + 'a' if x > 1 else None\n```\n\n" +
	"```html\n<!-- c --><p class=\"x\">&amp;</p>\n```\n\n```yaml\na: [1, true]  # b\n```\n\n```sql\nSELECT count(*) FROM a WHERE b = 'c';\n```\n\n" +
	"```sh\nexport A=\"$B\" && echo done\n```\n\n```diff\n-a\n+b\n```\n"

// writePage writes the page of 500 documents, some hostile, stale, superseded or promoted. It returns the
// file and how many bytes the documents have.
func writePage(t *testing.T) (file string, text int) {
	t.Helper()
	list, err := os.ReadFile("../bench/words.txt")
	if err != nil {
		t.Fatal(err)
	}
	random, words := rand.New(rand.NewPCG(1, 2)), strings.Fields(string(list))
	say := func(n int) string {
		said := make([]string, n)
		for i := range said {
			said[i] = words[random.IntN(len(words))]
			if random.IntN(4) == 0 { // words of one document
				said[i] += fmt.Sprint(random.IntN(5_000))
			}
		}
		return strings.Join(said, " ")
	}
	fallen := map[int]string{44: "status: rejected", 49: "status: deprecated", 54: "draft: true", 59: "expires: 2024-01-01"}
	folders := strings.Fields("problems insights codebase tools styles adr")
	repo := gitrepo.New(t)
	repo.Put(".csharp-compounding-docs/config.json", `{"project_name": "large", "documents": {"lenient": true}}`)
	name := func(i int) string { return fmt.Sprintf("%s/document-%d.md", folders[i%len(folders)], i) }
	for i := range documents {
		var d strings.Builder
		fmt.Fprintf(&d, "---\ntitle: Document %d, %s\ndate: %s\ntags: [tag-%d, tag-%d]\n", i, say(4),
			time.Date(2023, 1, 1+2*i, 0, 0, 0, 0, time.UTC).Format(time.DateOnly), i%7, i%11)
		switch {
		case i%50 == 3:
			d.WriteString("promotion_level: critical\n")
		case i%10 == 1:
			d.WriteString("promotion_level: important\n")
		case i%25 == 12:
			fmt.Fprintf(&d, "supersedes: %s\n", name(i-len(folders)))
		case i%100 == 68: // a chain of three
			fmt.Fprintf(&d, "supersedes: %s\n", name(i-len(folders)))
		case i > 404 && i <= 458 && i%len(folders) == 2: // a chain of ten
			fmt.Fprintf(&d, "supersedes: %s\n", name(i-len(folders)))
		case i%100 == 64:
			fmt.Fprintf(&d, "amends: %s\n", name(i-len(folders)))
		case fallen[i%100] != "":
			d.WriteString(fallen[i%100] + "\n")
		}
		fmt.Fprintf(&d, "---\n\n## Context\n\n%s.\n\n", say(120))
		if i%17 == 5 {
			d.WriteString("Seen in `src/code.go:1`.\n\n")
		}
		fmt.Fprintf(&d, "See [one](../%s) and [another](../%s).\n\n", name((i+6*random.IntN(9)+6)%documents), name(random.IntN(documents)))
		fmt.Fprintf(&d, "```go\nfunc f%d() { /* %s */ }\n```\n\n## Decision\n\n- %s\n- **%s**\n\n%s.\n\n", i, say(20), say(10), say(5), say(150))
		fmt.Fprintf(&d, "| case | result |\n|---|---|\n| %s | %s |\n| %s | %s |\n", say(3), say(5), say(3), say(30))
		if i%25 == 2 {
			d.WriteString("\n" + rich)
		}
		if i%100 == 99 {
			d.WriteString("\n" + hostile)
		}
		text += d.Len()
		repo.Put("csharp-compounding-docs/"+name(i), d.String())
	}
	repo.Put("src/code.go", "package a\n")
	repo.Git("init", "-q", "-b", "main")
	repo.Commit()
	repo.Put("src/code.go", "package b\n")
	repo.Commit()

	recalls := hooks.NewStore(t.TempDir())
	for i := range 12 {
		repo.Must(recalls.AddQuestion(t.Context(), repo.Root, "how do we handle "+say(4)+"?", time.Now().AddDate(0, 0, -i)))
		repo.Must(recalls.Update(t.Context(), fmt.Sprint(i), func(s *hooks.Session) {
			s.Shown = []hooks.Shown{{Project: repo.Root, Path: "csharp-compounding-docs/" + name(i%5)}}
		}))
	}
	for _, folder := range folders {
		repo.Put("csharp-compounding-docs/"+folder+"/dot.svg",
			`<svg xmlns="http://www.w3.org/2000/svg" width="7" height="7"><script>alert(7)</script><circle r="3" cx="3" cy="3"/></svg>`)
	}
	return write(t, repo, recalls), text
}

// write writes the page of a repository and returns its file.
func write(t *testing.T, repo *gitrepo.Repo, recalls *hooks.Store) string {
	t.Helper()
	p, err := project.Load(repo.Root)
	repo.Must(err)
	file := filepath.Join(t.TempDir(), p.Config.ProjectName+".html")
	out, err := os.Create(file)
	repo.Must(err)
	repo.Must(page.Write(t.Context(), out, p, recalls))
	repo.Must(out.Close())
	return file
}

// A page of 500 documents has at most 3 MB beside their text.
func TestPage_IsSmall(t *testing.T) {
	t.Parallel()
	file, text := writePage(t)
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%.2f MB for %d documents with %.2f MB of text", float64(info.Size())/1e6, documents, float64(text)/1e6)
	if beside := int(info.Size()) - text; beside > 3_000_000 {
		t.Errorf("the page has %d bytes beside the text", beside)
	}
}

// seen is what browser.mjs prints.
type seen struct {
	Requests []string        `json:"requests"`
	Faults   []string        `json:"faults"` // exceptions, and errors and warnings of the console
	Axe      []string        `json:"axe"`
	Overflow []string        `json:"overflow"`
	Dialogs  []string        `json:"dialogs"`
	Views    map[string]view `json:"views"`
	Unmarked []string        `json:"unmarked"` // links that do not say that their document does not hold
	App      []string        `json:"app"`      // messages to a host of MCP Apps, and the colours
}

type view struct {
	Opened     float64        `json:"opened"` // milliseconds until the first screen is there
	Home       []string       `json:"home"`
	Count      string         `json:"count"`
	Listed     int            `json:"listed"`
	Searched   float64        `json:"searched"`
	First      string         `json:"first"`
	Place      string         `json:"place"`
	Title      string         `json:"title"`
	Marked     []bool         `json:"marked"`
	Parts      map[string]any `json:"parts"`
	Unreached  []string       `json:"unreached"`
	Neighbours []int          `json:"neighbours"`
	Hostile    int            `json:"hostile"`
	Filtered   []int          `json:"filtered"`
	Health     []int          `json:"health"`
	Decisions  int            `json:"decisions"`
	Fallen     []string       `json:"fallen"` // headings of the view, after the link that leads to it
	Chains     []string       `json:"chains"`
	Order      []string       `json:"order"` // what the search for a replaced document lists first
}

// look runs browser.mjs on a page. It skips the test without a Chromium.
func look(t *testing.T, page string) seen {
	t.Helper()
	dir, chromium := os.Getenv("CDOCS_BROWSER"), ""
	for _, name := range []string{os.Getenv("CDOCS_CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil && chromium == "" {
			chromium = found
		}
	}
	if dir == "" || chromium == "" {
		t.Skip("make page runs this test, where there is a Chromium (CDOCS_CHROMIUM, or chromium in PATH)")
	}
	pictures := os.Getenv("CDOCS_PICTURES")
	if pictures == "" {
		pictures = t.TempDir()
	}
	script := filepath.Join(dir, strings.ReplaceAll(t.Name(), "/", "-")+".mjs") // it imports the packages beside it
	if err := os.WriteFile(script, program, 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(script) //nolint:errcheck // the next run writes it again
	command := exec.CommandContext(t.Context(), "node", script, chromium, page, pictures)
	command.Stderr = os.Stderr
	stdout, err := command.Output()
	if err != nil {
		t.Fatalf("browser.mjs: %v", err)
	}
	var got seen
	if err := json.Unmarshal(stdout, &got); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
	return got
}

// faultless is what a page shows that has no fault.
func faultless() seen {
	return seen{
		Requests: []string{}, Faults: []string{}, Axe: []string{}, Overflow: []string{}, Dialogs: []string{}, Unmarked: []string{},
		Views: map[string]view{}, App: []string{},
	}
}

// In a browser at 1280 and 390 pixels, in the light and in the dark, the page asks no network and runs
// nothing of the documents. axe-core finds nothing. Tab reaches everything. Each view shows what it is for.
func TestPage_InABrowser(t *testing.T) {
	t.Parallel()
	file, _ := writePage(t)
	got := look(t, file)
	want := faultless()
	want.App = []string{"ui/initialize", "ui/notifications/initialized", "ui/notifications/size-changed", "dark"}
	for _, key := range []string{"1280-light", "1280-dark", "390-light", "390-dark"} {
		v := got.Views[key]
		t.Logf("%s: the first screen is there after %.0f ms, a search takes %.0f ms", key, v.Opened, v.Searched)
		want.Views[key] = view{
			Opened: v.Opened, Searched: v.Searched, Listed: documents, First: v.First, Title: v.First, Unreached: []string{},
			Home: []string{"Rules", "The latest", "Unanswered questions", "Folders", "Tags"}, Count: "500 documents, the latest first",
			Place: "Context · line 9", Marked: []bool{true},
			Parts:      map[string]any{"callout": 5., "outline": 1., "sides": 1., "hljs-keyword": v.Parts["hljs-keyword"], "pictures": "7 pixels"},
			Neighbours: []int{v.Neighbours[0], v.Neighbours[0], v.Neighbours[0]}, Hostile: documents / 100,
			Filtered: []int{34, 30, 10, 5, 83, v.Filtered[5]}, Health: v.Health, Decisions: v.Decisions,
			Fallen: []string{
				"What no longer holds: 49 documents", "Superseded: 34", "Rejected: 5", "Deprecated: 5", "Expired: 5",
			},
			Chains: []string{
				"Document 56, superseded 2023-04-23 → Document 62, superseded 2023-05-05 → Document 68, 2023-05-17",
				"Document 404, superseded 2025-03-19 → … → Document 422, superseded 2025-04-24 → Document 428, superseded 2025-05-06 → " +
					"Document 434, superseded 2025-05-18 → Document 440, superseded 2025-05-30 → Document 446, superseded 2025-06-11 → " +
					"… → Document 458, 2025-07-05",
			},
			Order: []string{"Document 68,", "Document 62, superseded by Document 68,", "Document 56, superseded by Document 62,"},
		}
		if !strings.HasPrefix(v.First, "Document 77,") {
			t.Errorf("%s: the first result is %q", key, v.First)
		}
		if n, _ := v.Parts["hljs-keyword"].(float64); n < 5 {
			t.Errorf("%s: the code has %.0f coloured keywords", key, n)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what the browser saw (-want +got):\n%s", diff)
	}
}
