package linkgraph

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"path"
	"slices"

	"github.com/compound-docs/compound-docs/rag/catalog"
)

// The page lays the graph out by itself, with d3.
var (
	//go:embed page.html
	pageTemplate string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
	//go:embed d3/d3.min.js
	library string
)

// page has the data of page.html.
type page struct {
	Title           string
	Policy          string
	Style           template.CSS
	Library, Script template.JS

	Nodes        []pageNode
	Edges        []Edge
	Types, Marks []legend
}

type pageNode struct {
	Node

	Class string
	Size  int
	// Link is the URL of the document; "" for none.
	Link string
}

type legend struct {
	Name, Class string
	Count       int
}

// HTML writes a page that needs no other file. repository is the URL of the repository as
// seen from the page, such as "..": a click on a document opens it there.
func (g *Graph) HTML(w io.Writer, title, repository string) error {
	parsed, err := template.New("page").Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("read the page: %w", err)
	}
	types := g.docTypes()
	p := page{
		Title: title, Edges: g.Edges, Policy: contentPolicy(),
		Marks: []legend{
			{Name: "promoted", Class: "promoted"},
			{Name: "in a circle", Class: "circle"},
			{Name: "orphan", Class: "orphan"},
		},
		Style:   template.CSS(pageStyle),                               //nolint:gosec // the program's own, as the two below
		Library: template.JS(library), Script: template.JS(pageScript), //nolint:gosec // as above
	}
	for i, name := range types {
		p.Types = append(p.Types, legend{Name: name, Class: typeClass(i)})
	}
	for _, n := range g.Nodes {
		docType := slices.Index(types, n.DocType)
		node := pageNode{Node: n, Class: typeClass(docType), Size: 7 + 4*max(n.size(), 0)}
		node.Link = (&url.URL{Path: path.Join(repository, n.Path)}).String()
		p.Types[docType].Count++
		for i, set := range []bool{n.Level != catalog.Standard, n.InCircle, n.Orphan} {
			if set {
				node.Class += " " + p.Marks[i].Class
				p.Marks[i].Count++
			}
		}
		if n.Path == g.Around {
			node.Class += " middle"
		}
		p.Nodes = append(p.Nodes, node)
	}
	if err := parsed.Execute(w, p); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

// contentPolicy allows the two scripts of the page and nothing else that could run or be
// loaded, whatever a document's title says.
func contentPolicy() string {
	hash := func(script string) string {
		sum := sha256.Sum256([]byte(script))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'; script-src " +
		hash(library) + " " + hash(pageScript)
}

// typeClass is the style of a doc-type. There are as many as there are colours.
func typeClass(docType int) string { return fmt.Sprintf("t%d", docType%len(colours())) }
