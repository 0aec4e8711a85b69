package page_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/compound-docs/compound-docs/internal/docset/page"
	"github.com/compound-docs/compound-docs/internal/hooks"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/test/gitrepo"
)

// fixture is a repository, with what hooks and searches have kept of it.
type fixture struct {
	*gitrepo.Repo

	recalls *hooks.Store
}

// setup returns a repository with documents, by their names in the folder of the documents.
func setup(t *testing.T, documents map[string]string) fixture {
	t.Helper()
	repo := gitrepo.New(t)
	repo.Put(".csharp-compounding-docs/config.json", config)
	for name, text := range documents {
		repo.Put("csharp-compounding-docs/"+name, text)
	}
	return fixture{repo, hooks.NewStore(t.TempDir())}
}

// written is what a page has.
type written struct {
	html     string
	elements *html.Node
	content  content
}

// content is what page.js reads.
type content struct {
	Documents []document        `json:"documents"`
	Stems     map[string]string `json:"stems"`
	Pictures  []string          `json:"pictures"`
	Findings  []struct {
		Path  string `json:"path"`
		Check string `json:"check"`
	} `json:"findings"`
	Questions map[string]time.Time `json:"questions"`
	Shown     map[string]int       `json:"shown"`
}

type document struct {
	Path        string         `json:"path"`
	Title       string         `json:"title"`
	Type        string         `json:"type"`
	External    bool           `json:"external"`
	Level       string         `json:"level"`
	Date        string         `json:"date"`
	Changed     string         `json:"changed"`
	Summary     string         `json:"summary"`
	FrontMatter map[string]any `json:"front_matter"`
	HTML        string         `json:"html"`
	Links       []string       `json:"links"`
	Supersedes  []string       `json:"supersedes"`
	Amends      []string       `json:"amends"`
	By          string         `json:"by"`
	Mark        string         `json:"mark"`
}

// write writes the page of the repository and takes it apart.
func (f fixture) write(t *testing.T) written {
	t.Helper()
	p, err := project.Load(f.Root)
	f.Must(err)
	var text strings.Builder
	f.Must(page.Write(t.Context(), &text, p, f.recalls))
	w := written{html: text.String()}
	w.elements, err = html.Parse(strings.NewReader(w.html))
	f.Must(err)
	for node := range w.elements.Descendants() {
		if node.Data == "script" && attribute(node, "id") == "content" {
			f.Must(json.Unmarshal([]byte(node.FirstChild.Data), &w.content))
		}
	}
	return w
}

// document returns the document with a name.
func (w written) document(t *testing.T, name string) document {
	t.Helper()
	for _, d := range w.content.Documents {
		if d.Path == "csharp-compounding-docs/"+name {
			return d
		}
	}
	t.Fatalf("the page has no %s", name)
	return document{}
}

func attribute(node *html.Node, name string) string {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
