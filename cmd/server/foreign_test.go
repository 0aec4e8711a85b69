package main_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/ragtest"
)

// foreign are files as other programs want them, none with front matter that is quite
// right.
func foreign() map[string]string {
	return map[string]string{
		"rule.md":   "---\n\n# Rule\n\nThe connection pool ran dry.\n",
		"colon.md":  "---\ntitle: Foo: bar\n---\n\n# Colon\n\nThe connection pool ran dry.\n",
		"liquid.md": "---\ntitle: {{ page.title }}\n---\n\n# Liquid\n\n{% include x %} The connection pool ran dry.\n",
		"latin1.md": "# Latin\n\nThe connection pool ran dry in a caf\xe9.\n",
	}
}

func foreignTitles() []string { return []string{"Foo: bar", "Latin", "Liquid", "Rule"} }

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
