package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/ragtest"
)

// foreign are files as other programs want them, none with front matter that is
// right.
func foreign() map[string]string {
	return map[string]string{
		"rule.md":   "---\n\n# Rule\n\nThe connection pool ran dry.\n",
		"colon.md":  "---\ntitle: Foo: bar\n---\n\n# Colon\n\nThe connection pool ran dry.\n",
		"liquid.md": "---\ntitle: {{ page.title }}\n---\n\n# Liquid\n\n{% include x %} The connection pool ran dry.\n",
		"latin1.md": "# Latin\n\nThe connection pool ran dry in a caf\xe9.\n",
	}
}

func foreignTitles() []string { return []string{"Colon", "Latin", "Liquid", "Rule"} }

// External docs are searched whatever their front matter and their bytes are,
// and the log says where bytes were replaced.
func TestServe_SearchesForeignFiles(t *testing.T) {
	t.Parallel()
	root := newProject(t, nil)
	for name, content := range foreign() {
		write(t, root, "docs/"+name, content)
	}
	write(t, root, ".csharp-compounding-docs/config.json", `{"project_name": "test-project", "external_docs": {"path": "./docs"}}`)
	command := server(t, "CDOCS_DATABASE_URL="+ragtest.IndexURL(t), "CDOCS_OLLAMA_HOST="+fakeollama.Start(t).URL(), "CDOCS_LOG_LEVEL=warn")
	var log strings.Builder
	command.Stderr = &log
	session := connect(t, command)
	activateWhole(t, session, root)
	var found struct {
		Results []struct {
			Title string `json:"title"`
		} `json:"results"`
	}
	if call(t, session, "search_external_docs", map[string]any{"query": "why did the connection pool run dry", "min_relevance_score": 0}, &found) {
		t.Fatal("the search failed")
	}
	titles := []string{}
	for _, result := range found.Results {
		titles = append(titles, result.Title)
	}
	slices.Sort(titles)
	if diff := cmp.Diff(foreignTitles(), titles); diff != "" {
		t.Errorf("titles (-want +got):\n%s", diff)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "not UTF-8") || !strings.Contains(log.String(), "docs/latin1.md") {
		t.Errorf("the log does not tell of the replaced bytes:\n%s", log.String())
	}
}

func TestIngest_TakesForeignFiles(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "handbook")
	for name, content := range foreign() {
		write(t, folder, name, content)
	}
	command := server(t, "CDOCS_DATABASE_URL="+ragtest.IndexURL(t), "CDOCS_OLLAMA_HOST="+fakeollama.Start(t).URL())
	command.Args = []string{command.Path, "ingest", folder}
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := fmt.Sprintf("handbook: %d added, 0 updated, 0 removed, 0 unchanged, 0 failed\n", len(foreign()))
	if diff := cmp.Diff(want, string(out)); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}

// A document may name others in a table of any length, and in its front matter
// in several ways.
func TestServe_FollowsLinksOfEveryKind(t *testing.T) {
	t.Parallel()
	head := "---\ntitle: %s\ndate: 2026-01-02\nsummary: %s\nsignificance: correctness\nproblem_type: bug\n" +
		"symptoms: [it fails]\nroot_cause: a mistake\nsolution: correct it\n"
	table := "\n| Name | What it is about, in some words that make the table long |\n|---|---|\n"
	for i := range 150 {
		table += fmt.Sprintf("| [Row](missing-%03d.md) | Some words about the row that make the table long enough |\n", i)
	}
	table += "| [The last](last.md) | The one that exists |\n"
	plain := func(title string) string { return fmt.Sprintf(head, title, title) + "---\n\nBananas are yellow.\n" }
	root := newProject(t, map[string]string{
		promotable + "pool.md": fmt.Sprintf(head, "Connection pool", "The connection pool ran dry") +
			"related_docs: [/csharp-compounding-docs/problems/a.md, 'problems/b.md#sec', sub/c.md]\n---\n\nThe connection pool ran dry.\n" + table,
		promotable + "a.md": plain("A"), promotable + "b.md": plain("B"), promotable + "last.md": plain("Last"),
		promotable + "sub/c.md": plain("C"),
	})
	session := connect(t, server(t, "CDOCS_DATABASE_URL="+ragtest.IndexURL(t), "CDOCS_OLLAMA_HOST="+fakeollama.Start(t).URL(), "CDOCS_LOG_LEVEL=warn"))
	activateWhole(t, session, root)
	var answer struct {
		LinkedDocs []struct {
			Path string `json:"path"`
		} `json:"linked_docs"`
	}
	arguments := map[string]any{"query": "why did the connection pool run dry", "max_sources": 1, "min_relevance_score": 0.1}
	if call(t, session, "rag_query", arguments, &answer) {
		t.Fatal("the question failed")
	}
	got := []string{}
	for _, linked := range answer.LinkedDocs {
		got = append(got, strings.TrimPrefix(linked.Path, "./"+promotable))
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"a.md", "b.md", "last.md", "sub/c.md"}, got); diff != "" {
		t.Errorf("linked (-want +got):\n%s", diff)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
}
