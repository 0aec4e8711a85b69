package tools_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/test/ragtest"
)

// What assistants keep is searched with the external docs, each with its source, if the user's settings say so. A
// symbolic link in the repository leads nowhere else.
func TestSources_AreSearchedWithTheExternalDocs(t *testing.T) {
	t.Parallel()
	const rule = "Umbrellas are stored by their handles, never by their tips.\n"
	root := newProject(t, withExternalDocs("0.01"), map[string]string{
		"docs/umbrellas.md": "# Guide to umbrellas\n\n" + rule,
		// Cursor writes globs without quotes, which is no YAML.
		".cursor/rules/umbrellas.mdc":            "---\nglobs: **/*.ts,*.tsx\nalwaysApply: false\n---\n# Umbrella rule\n\n" + rule,
		".cursor/rules/umbrellas.json":           "{}",
		".github/copilot-instructions.md":        "# Umbrellas for Copilot\n\n" + rule,
		".github/pull_request_template.md":       "# Umbrellas of a pull request\n\n" + rule,
		".github/ISSUE_TEMPLATE/umbrella.md":     "# Umbrellas of an issue\n\n" + rule,
		".github/instructions/u.instructions.md": "# Umbrella instructions\n\n" + rule,
		"AGENTS.md":                              "# Umbrellas for agents\n\n" + rule,
		"sub/AGENTS.md":                          "# Umbrellas below\n\n" + rule,
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
	in := func(name string) string { return filepath.Join(root, name) }
	guide := map[string]string{"./docs/umbrellas.md": ""}
	everything := map[string]string{
		"./docs/umbrellas.md": "", in(".cursor/rules/umbrellas.mdc"): "cursor", in(".github/copilot-instructions.md"): "github",
		in(".github/instructions/u.instructions.md"): "github", in("AGENTS.md"): "agents",
		filepath.Join(notes, "umbrellas.md"): notes, filepath.Join(notes, "deep/er.mdc"): notes,
	}
	steps := []struct {
		name    string
		sources []string
		want    map[string]string
	}{
		{"none", nil, guide},
		{"all", []string{"cursor", "github", "agents", notes}, everything},
		{"removed", nil, guide},
	}
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			if diff := cmp.Diff(step.want, found(t, step.sources...)); diff != "" {
				t.Errorf("found (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("a link to another folder", func(t *testing.T) {
		if err := os.RemoveAll(in(".cursor")); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(notes, in(".cursor")); err != nil {
			t.Fatal(err)
		}
		write(t, notes, "rules/secret.mdc", "# Secret umbrellas\n\n"+rule)
		if diff := cmp.Diff(guide, found(t, "cursor")); diff != "" {
			t.Errorf("found (-want +got):\n%s", diff)
		}
	})
}
