package docset_test

import (
	"fmt"
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
	return set.Graph("2026-11-26")
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
		if e.Mutual {
			text += " MUTUAL"
		}
		if e.Supersedes {
			text += " SUPERSEDES"
		}
		if e.Amends {
			text += " AMENDS"
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

// An edge leads from the later document to the earlier one, whichever of them names the other. Documents that do
// not hold are grey and say why.
func TestGraph_DrawsWhatHolds(t *testing.T) {
	t.Parallel()
	g := read(t, map[string]string{
		"a": "---\n## Status\n\nSuperseded by [b](b.md)\n", "b": "---\n## Status\n\nAmended by [c](c.md)\n", "c": "amends: notes/b.md\n---\ntext\n",
		"d": "supersedes: notes/a.md\n---\n[a](a.md)\n", "e": "status: rejected\n---\ntext\n", "f": "expires: 2026-11-25\n---\ntext\n",
		"g": "expires: 2026-11-26\n---\ntext\n",
	})
	if diff := cmp.Diff([]string{"b a MUTUAL SUPERSEDES", "c b MUTUAL AMENDS", "d a SUPERSEDES"}, links(g)); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	mermaid := draw(t, g)
	const folder = "./csharp-compounding-docs/notes/"
	marks := []string{"superseded by " + folder + "b.md", "amended by " + folder + "c.md", "", "", "rejected", "expired 2026-11-25", ""}
	for i, n := range g.Nodes {
		label := n.Title
		if marks[i] != "" {
			label += " (" + marks[i] + ")"
		}
		isGrey := marks[i] != "" && !strings.HasPrefix(marks[i], "amended")
		inMermaid := strings.Contains(mermaid, strings.NewReplacer(`"`, "#quot;", "<", "#lt;", ">", "#gt;").Replace(label)+`"]`)
		greyInMermaid := strings.Contains(mermaid, fmt.Sprintf("style n%d fill:#eeeeee\n", i))
		if !inMermaid || greyInMermaid != isGrey {
			t.Errorf("%s must be %q, grey %t:\n%s", n.Path, label, isGrey, mermaid)
		}
	}
	for _, want := range []string{"n2 -. amends .-> n1\n", "n3 -. supersedes .-> n0\n"} {
		if !strings.Contains(mermaid, want) {
			t.Errorf("no %s in %s", want, mermaid)
		}
	}
}

// draw returns the graph as a flowchart.
func draw(t *testing.T, g *docset.Graph) string {
	t.Helper()
	var text strings.Builder
	if err := g.Mermaid(&text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func TestGraph_IsRepeatableAndEscaped(t *testing.T) {
	t.Parallel()
	g := sample(t)
	text := draw(t, g)
	if title := `[["a #quot;#lt;b#gt;#quot;"]]`; !strings.Contains(text, title) {
		t.Errorf("no %s in:\n%s", title, text)
	}
	if diff := cmp.Diff(text, draw(t, g)); diff != "" {
		t.Errorf("the text differs from time to time:\n%s", diff)
	}
}
