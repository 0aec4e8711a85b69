package page_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/hooks"
)

const config = `{"project_name": "pages", "documents": {"lenient": true}}`

func TestWrite_HasWhatDocumentsSay(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{
		"adr/new.md": "---\ntitle: New\ndate: 2026-02-03\ntags: [a, b]\npromotion_level: critical\nsupersedes: adr/old.md\n" +
			"scope: system\ntriggers:\n  - run: [pod update, pod install]\n    bare: true\n  - edit: Podfile\n---\n# New\n\nText with [the tool](../tools/t.md).\n",
		"adr/old.md": "---\ntitle: Old\ndate: 2025-01-02\n---\nText.\n",
		"tools/t.md": "# Tool\n\nText.\n",
	})
	f.Git("init", "-q", "-b", "main")
	f.Commit()
	w := f.write(t)

	got := w.document(t, "adr/new.md")
	want := document{
		Path: "csharp-compounding-docs/adr/new.md", Title: "New", Type: "codebase", Level: "critical", Date: "2026-02-03", Changed: "2026-02-03",
		Summary: "Text with the tool.", Links: []string{"csharp-compounding-docs/tools/t.md"},
		Supersedes: []string{"csharp-compounding-docs/adr/old.md"}, Amends: []string{},
		HTML: "<p data-line=\"15\">Text with <a href=\"#/doc/csharp-compounding-docs%2Ftools%2Ft.md\">the tool</a>.</p>\n", FrontMatter: map[string]any{
			"title": "New", "date": "2026-02-03", "tags": []any{"a", "b"}, "promotion_level": "critical", "supersedes": "adr/old.md", "scope": "system",
			"triggers": []any{"run pod update | pod install, bare", "edit Podfile"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
	if by := w.document(t, "adr/old.md").By; by != got.Path {
		t.Errorf("the old one is superseded by %q", by)
	}
	tool := w.document(t, "tools/t.md")
	if tool.Date != time.Now().UTC().Format(time.DateOnly) && tool.Date != time.Now().Format(time.DateOnly) {
		t.Errorf("the tool is %+v, want the date of its commit", tool)
	}
	if names := []string{w.content.Documents[1].Title, w.content.Documents[2].Title}; !slices.Equal(names, []string{"New", "Old"}) {
		t.Errorf("documents are not sorted by date: %q", names)
	}
}

// Each document that does not hold has its mark and its successor, whichever of two documents names the other.

func TestWrite_SaysWhatNoLongerHolds(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{
		"adr/0001-a.md":     "# A\n\n## Status\n\nSuperseded by [2](0002-b.md)\n",
		"adr/0002-b.md":     "---\nsupersedes: adr/0001-a.md\n---\n# B\n\n## Status\n\nSuperseded by [3](0003-c.md)\n",
		"adr/0003-c.md":     "# C\n\n## Status\n\nAccepted\n\nAmended by [4](0004-d.md)\n",
		"adr/0004-d.md":     "# D\n",
		"adr/0005-e.md":     "---\nstatus: rejected\namends: adr/0006-f.md\n---\n# E\n",
		"adr/0006-f.md":     "---\nexpires: 2024-05-06\n---\n# F\n",
		"problems/draft.md": "---\ndraft: true\n---\n# Draft\n",
		"problems/old.md":   "---\nstatus: deprecated\n---\n# Old\n",
	})
	w := f.write(t)
	got := []string{}
	for _, d := range w.content.Documents {
		said := fmt.Sprint(filepath.Base(d.Path), ": ", d.Mark, " by ", d.By, " supersedes ", d.Supersedes, " amends ", d.Amends, " links ", d.Links)
		got = append(got, strings.ReplaceAll(said, "csharp-compounding-docs/adr/", ""))
	}
	slices.Sort(got)
	want := []string{
		"0001-a.md: superseded by ./0002-b.md by 0002-b.md supersedes [] amends [] links []",
		"0002-b.md: superseded by ./0003-c.md by 0003-c.md supersedes [0001-a.md] amends [] links []",
		"0003-c.md: amended by ./0004-d.md by 0004-d.md supersedes [0002-b.md] amends [] links []",
		"0004-d.md:  by  supersedes [] amends [0003-c.md] links []",
		"0005-e.md: rejected by  supersedes [] amends [0006-f.md] links []",
		"0006-f.md: expired 2024-05-06 by  supersedes [] amends [] links []",
		"draft.md: proposed by  supersedes [] amends [] links []",
		"old.md: deprecated by  supersedes [] amends [] links []",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
}

// External docs are searched, so they are on the page, marked as such.
func TestWrite_HasExternalDocs(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{"a.md": "[guide](../guide/b.md)\n"})
	f.Put(".csharp-compounding-docs/config.json", `{"project_name": "pages", "documents": {"lenient": true}, "external_docs": {"path": "guide"}}`)
	f.Put("guide/b.md", "# Guide\n\n[a](../csharp-compounding-docs/a.md) [c](c.md) [gone](gone.md)\n")
	f.Put("guide/c.md", "C\n")
	f.Put("guide/d.md", "---\nstatus: \"superseded by [c](c.md)\"\n---\nD\n")
	w := f.write(t)
	got := map[string]string{}
	for _, d := range w.content.Documents {
		got[d.Path] = fmt.Sprint(d.Type, " ", d.External, " ", d.Links, " ", d.Mark, lineNumbers.ReplaceAllString(d.HTML, ""))
	}
	want := map[string]string{
		"csharp-compounding-docs/a.md": "codebase false [guide/b.md] <p><a href=\"#/doc/guide%2Fb.md\">guide</a></p>\n",
		"guide/b.md":                   "external true [csharp-compounding-docs/a.md guide/c.md] <p><a href=\"#/doc/csharp-compounding-docs%2Fa.md\">a</a> <a href=\"#/doc/guide%2Fc.md\">c</a> gone</p>\n",
		"guide/c.md":                   "external true [] <p>C</p>\n",
		"guide/d.md":                   "external true [] superseded by ./guide/c.md<p>D</p>\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
}

// The page has small pictures of the repository, each once, and no more than it may.
func TestWrite_HasSmallPictures(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{
		"a.md": "![1](p.png) ![2](../img/p.SVG) ![3](p.png) ![4](large.png) ![5](text.txt) ![6](/.env.png) ![7](link.png)\n",
	})
	f.Put("csharp-compounding-docs/p.png", "one")
	f.Put("img/p.SVG", "two")
	f.Put("csharp-compounding-docs/large.png", strings.Repeat("x", 256<<10+1))
	f.Put("csharp-compounding-docs/text.txt", "three")
	f.Put(".env.png", "secret")
	outside := filepath.Join(t.TempDir(), "out.png")
	f.Must(os.WriteFile(outside, []byte("secret"), 0o600))
	f.Must(os.Symlink(outside, filepath.Join(f.Root, "csharp-compounding-docs", "link.png")))
	many := ""
	for i := range 20 {
		f.Put(fmt.Sprintf("many/%d.png", i), strings.Repeat("x", 256<<10))
		many += fmt.Sprintf("![](../many/%d.png)\n", i)
	}
	f.Put("csharp-compounding-docs/b.md", many)
	w := f.write(t)
	want := `<p><img data-picture="0" alt="1"> <img data-picture="1" alt="2"> <img data-picture="0" alt="3"> ` +
		"<em>Image: 4</em> <em>Image: 5</em> <em>Image: 6</em> <em>Image: 7</em></p>\n"
	if diff := cmp.Diff(want, lineNumbers.ReplaceAllString(w.document(t, "a.md").HTML, "")); diff != "" {
		t.Errorf("HTML (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"data:image/png;base64,b25l", "data:image/svg+xml;base64,dHdv"}, w.content.Pictures[:2]); diff != "" {
		t.Errorf("pictures (-want +got):\n%s", diff)
	}
	if n := len(w.content.Pictures); n != 2+15 {
		t.Errorf("%d pictures, want those with 4 MiB together", n)
	}
}

// The page has the stems of words that search has.
func TestWrite_HasStems(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{"a.md": "The requests requested HTTPServer ErrNoRows isn’t a cache 検索 Zeitüberschreitung.\n"})
	w := f.write(t)
	want := map[string]string{
		"": "a isn't the", "cach": "cache", "err errnorow row": "errnorows", "+http server": "httpserver", "request": "requested requests", "zeituberschreitung": "zeitüberschreitung",
	}
	if diff := cmp.Diff(want, w.content.Stems); diff != "" {
		t.Errorf("stems (-want +got):\n%s", diff)
	}
}

// The health view shows what lint, questions and hooks have found.
func TestWrite_HasWhatIsWrong(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{
		"problems/stale.md":  "---\ndate: 2026-01-01\n---\nSee `code.go:1`.\n",
		"problems/broken.md": "---\ndate: 2026-01-01\n---\n[gone](gone.md)\n",
	})
	f.Put("code.go", "package a\n")
	f.Git("init", "-q", "-b", "main")
	f.Commit()
	f.Put("code.go", "package b\n")
	f.Commit()
	asked := time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)
	f.Must(f.recalls.AddQuestion(t.Context(), f.Root, "older?", asked.AddDate(0, 0, -1)))
	f.Must(f.recalls.AddQuestion(t.Context(), f.Root, "newer?", asked))
	for _, session := range []string{"one", "two"} {
		f.Must(f.recalls.Update(t.Context(), session, func(s *hooks.Session) {
			s.Shown = []hooks.Shown{
				{Project: f.Root, Path: "csharp-compounding-docs/problems/stale.md"}, {Project: "/other", Path: "x.md"},
			}
		}))
	}
	w := f.write(t)
	checks := []string{}
	for _, finding := range w.content.Findings {
		checks = append(checks, filepath.Base(finding.Path)+" "+finding.Check)
	}
	for _, want := range []string{"stale.md place-changed", "stale.md orphan", "broken.md broken-link"} {
		if !slices.Contains(checks, want) {
			t.Errorf("%s is not among %q", want, checks)
		}
	}
	if diff := cmp.Diff(map[string]time.Time{"older?": asked.AddDate(0, 0, -1), "newer?": asked}, w.content.Questions); diff != "" {
		t.Errorf("questions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"csharp-compounding-docs/problems/stale.md": 2}, w.content.Shown); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
}

// The library is the file that its authors published on npm, in the version of docs/licenses.md.
func TestLibraries_AreAsPublished(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"highlight.js": "8ab71eb09c51f501e5e25157d9cff100e46cc29bcbfc744d0b746d451fca7f53",
	} {
		file, err := os.ReadFile(filepath.Join("lib", name))
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(file)); got != want {
			t.Errorf("%s has the SHA-256 %s, want %s", name, got, want)
		}
	}
}

// The latest documents are those that were changed last, whenever they were written.
func TestWrite_KnowsTheLastChange(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{"changed.md": "# A\n", "same.md": "# B\n", "dated.md": "---\ndate: 2026-03-04\n---\n# C\n"})
	f.Git("init", "-q", "-b", "main")
	commit := func(date string) {
		f.Git("add", "-A")
		f.Git("commit", "-q", "-m", "work", "--date", date+"T12:00:00Z")
	}
	commit("2025-01-02")
	f.Put("csharp-compounding-docs/changed.md", "# A\n\nMore.\n")
	commit("2026-02-03")
	w := f.write(t)
	for name, want := range map[string][2]string{
		"changed.md": {"2025-01-02", "2026-02-03"}, "same.md": {"2025-01-02", "2025-01-02"}, "dated.md": {"2026-03-04", "2026-03-04"},
	} {
		if d := w.document(t, name); d.Date != want[0] || d.Changed != want[1] {
			t.Errorf("%s is of %s and was changed on %s, want %v", name, d.Date, d.Changed, want)
		}
	}
}
