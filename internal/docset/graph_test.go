package docset_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/test/gitrepo"
)

// read returns the graph of a project with a note for each name, which is titled with
// markup and links as its text says.
func read(t *testing.T, texts map[string]string) *docset.Graph {
	t.Helper()
	repo := gitrepo.New(t)
	repo.Put(".csharp-compounding-docs/config.json",
		`{"project_name": "graph", "custom_doc_types": [{"name": "note", "description": "d", "folder": "notes"}]}`)
	for name, text := range texts {
		repo.Put("csharp-compounding-docs/notes/"+name+".md", "---\ntitle: '"+name+` "<b>"`+"'\n"+text)
	}
	p, err := project.Load(repo.Root)
	repo.Must(err)
	set, err := docset.Read(t.Context(), p)
	repo.Must(err)
	return set.Graph()
}

// sample has a circle of three, two that link to each other, a successor and an orphan.
func sample(t *testing.T) *docset.Graph {
	t.Helper()
	return read(t, map[string]string{
		"a": "promotion_level: critical\n---\n[b](b.md)\n", "b": "---\n[c](c.md)\n", "c": "---\n[a](a.md) [d](d.md)\n",
		"d": "---\n[c](c.md)\n", "e": "supersedes: notes/d.md\n---\ntext\n", "f": "---\ntext [gone](gone.md)\n",
	})
}

// links returns the edges in short, with what is special in capitals.
func links(g *docset.Graph) []string {
	name := func(i int) string {
		return strings.TrimSuffix(g.Nodes[i].Path[strings.LastIndex(g.Nodes[i].Path, "/")+1:], ".md")
	}
	found := []string{}
	for _, e := range g.Edges {
		text := name(e.From) + " " + name(e.To)
		for mark, set := range map[string]bool{" MUTUAL": e.Mutual, " SUPERSEDES": e.Supersedes} {
			if set {
				text += mark
			}
		}
		found = append(found, text)
	}
	return found
}

func TestGraph_MarksOrphans(t *testing.T) {
	t.Parallel()
	g := sample(t)
	want := []string{"a b", "b c", "c a", "c d MUTUAL", "e d SUPERSEDES"}
	if diff := cmp.Diff(want, links(g)); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	orphans := ""
	for _, n := range g.Nodes {
		if n.Orphan {
			orphans += n.Title[:1]
		}
	}
	if orphans != "f" {
		t.Errorf("%q are orphans, want f", orphans)
	}
}

func TestGraph_FormatsAreRepeatableAndEscaped(t *testing.T) {
	t.Parallel()
	g := sample(t)
	write := func(format string) string {
		var text strings.Builder
		var err error
		if format == "dot" {
			err = g.DOT(&text)
		} else {
			err = g.Mermaid(&text)
		}
		if err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	for format, title := range map[string]string{
		"dot": `label="a \"<b>\""`, "mermaid": `[["a #quot;#lt;b#gt;#quot;"]]`,
	} {
		text := write(format)
		if !strings.Contains(text, title) {
			t.Errorf("%s has no %s:\n%s", format, title, text)
		}
		if diff := cmp.Diff(text, write(format)); diff != "" {
			t.Errorf("%s differs from time to time:\n%s", format, diff)
		}
	}
}
