package tools_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/test/ragtest"
)

// What assistants keep is searched with the external docs, each with its source, if the user's settings say so.
func TestSources_AreSearchedWithTheExternalDocs(t *testing.T) {
	t.Parallel()
	const rule = "Umbrellas are stored by their handles, never by their tips.\n"
	root := newProject(t, withExternalDocs("0.01"), map[string]string{
		"docs/umbrellas.md": "# Guide to umbrellas\n\n" + rule,
	})
	notes := newProject(t, "{}", map[string]string{"umbrellas.md": "# Umbrellas\n\n" + rule, "deep/er.mdc": "# Deeper umbrellas\n\n" + rule})
	url := ragtest.IndexURL(t)
	// found returns the sources by the paths of the documents that a new server finds.
	found := func(t *testing.T, sources ...string) map[string]string {
		t.Helper()
		settings := project.DefaultSettings()
		settings.Sources = sources
		c := connect(t, setupOn(t, settings, url).server, "2025-11-25")
		c.activate(t, root)
		var answer struct {
			Results []struct{ Path, Source string } `json:"results"`
			Index   *struct{ Pending int }          `json:"index"`
		}
		c.get(t, "search_external_docs", arguments{"query": "how are umbrellas stored", "limit": 20}, &answer)
		if answer.Index != nil && answer.Index.Pending > 0 {
			t.Errorf("%d files count as changed", answer.Index.Pending)
		}
		found := map[string]string{}
		for _, result := range answer.Results {
			found[result.Path] = result.Source
		}
		return found
	}
	guide := map[string]string{"./docs/umbrellas.md": ""}
	everything := map[string]string{
		"./docs/umbrellas.md":                "",
		filepath.Join(notes, "umbrellas.md"): notes, filepath.Join(notes, "deep/er.mdc"): notes,
	}
	steps := []struct {
		name    string
		sources []string
		want    map[string]string
	}{
		{"none", nil, guide},
		{"a folder", []string{notes}, everything},
		{"removed", nil, guide},
	}
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			if diff := cmp.Diff(step.want, found(t, step.sources...)); diff != "" {
				t.Errorf("found (-want +got):\n%s", diff)
			}
		})
	}
}
