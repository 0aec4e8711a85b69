package docset

import (
	"cmp"
	"slices"
	"time"

	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// Node is a document.
type Node struct {
	Path    string        `json:"path"`
	Title   string        `json:"title"`
	DocType string        `json:"doc_type"`
	Level   catalog.Level `json:"promotion_level"`
	Status  string        `json:"status,omitempty"` // its mark
	// Orphan says that no document links to it, and that it links to none.
	Orphan bool `json:"orphan"`
}

// Edge is the links between two documents.
type Edge struct {
	// From and To are indexes of nodes.
	From int `json:"from"`
	To   int `json:"to"`
	// Mutual says that To links to From as well, and that no other edge says so.
	Mutual bool `json:"mutual"`
	// Supersedes says that From replaces To.
	Supersedes bool `json:"supersedes"`
}

// Graph is documents and the links between them.
type Graph struct {
	// Nodes are sorted by path, and Edges by From and To.
	Nodes []Node `json:"nodes"`
	Edges []Edge `json:"edges"`
}

// Graph returns the graph of the documents that can be indexed.
func (s *Set) Graph() *Graph {
	g := &Graph{Nodes: []Node{}, Edges: []Edge{}}
	at := map[*Document]int{}
	standings, _ := s.Standings()
	today := time.Now().UTC().Format(time.DateOnly)
	for _, d := range s.Documents {
		if d.Err == nil {
			at[d] = len(g.Nodes)
			g.Nodes = append(g.Nodes, Node{
				Path: d.Path, Title: d.Title, DocType: d.DocType, Level: d.Level, Status: standings.Of(d.Path, today).Mark(), Orphan: true,
			})
		}
	}
	supersedes := map[[2]int]bool{}
	for _, d := range s.Documents {
		for _, target := range d.Targets {
			if other := target.Document; d.Err == nil && other != nil && other != d {
				pair := [2]int{at[d], at[other]}
				if target.Relation == markdown.SupersededBy {
					pair = [2]int{at[other], at[d]}
				}
				supersedes[pair] = supersedes[pair] || target.Relation == markdown.Supersedes || target.Relation == markdown.SupersededBy
				g.Nodes[at[d]].Orphan, g.Nodes[at[other]].Orphan = false, false
			}
		}
	}
	for pair, replaces := range supersedes {
		backwards, mutual := supersedes[[2]int{pair[1], pair[0]}]
		// Of two directions, keep the one that supersedes. If none does, keep the one from the first path.
		if mutual && (backwards && !replaces || backwards == replaces && pair[0] > pair[1]) {
			continue
		}
		g.Edges = append(g.Edges, Edge{From: pair[0], To: pair[1], Mutual: mutual, Supersedes: replaces})
	}
	slices.SortFunc(g.Edges, func(a, b Edge) int { return cmp.Or(a.From-b.From, a.To-b.To) })
	return g
}

// docTypes returns the doc-types of the nodes, sorted.
func (g *Graph) docTypes() []string {
	var types []string
	for _, n := range g.Nodes {
		types = append(types, n.DocType)
	}
	slices.Sort(types)
	return slices.Compact(types)
}

// size grades how large a document is drawn: 0 for standard, 2 for critical.
func (n Node) size() int { return slices.Index(catalog.Levels(), n.Level) }

// label returns the title of a drawn node, with its mark.
func (n Node) label() string {
	if n.Status == "" {
		return n.Title
	}
	return n.Title + " (" + n.Status + ")"
}
