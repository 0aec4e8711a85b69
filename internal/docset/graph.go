package docset

import (
	"cmp"
	"slices"

	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/said"
)

// Node is a document.
type Node struct {
	Path    string        `json:"path"`
	Title   string        `json:"title"`
	DocType string        `json:"doc_type"`
	Level   catalog.Level `json:"promotion_level"`
	// Orphan says that no document links to it, and that it links to none.
	Orphan bool `json:"orphan"`
	// Mark says why the document must not be taken as it is, "" if it may, see [catalog.Standing.Mark].
	Mark string `json:"mark"`
	// Holds says that what the document says is in force.
	Holds bool `json:"holds"`
}

// Edge is the links between two documents.
type Edge struct {
	// From and To are indexes of nodes.
	From int `json:"from"`
	To   int `json:"to"`
	// Mutual says that To links to From as well, and that no other edge says so.
	Mutual bool `json:"mutual"`
	// Supersedes says that From replaces To, and Amends that From changes a part of To.
	Supersedes bool `json:"supersedes"`
	Amends     bool `json:"amends"`
}

// Graph is documents and the links between them.
type Graph struct {
	// Nodes are sorted by path, and Edges by From and To.
	Nodes []Node `json:"nodes"`
	Edges []Edge `json:"edges"`
}

// Forward turns a relation around that the earlier document names: "B is superseded by A" becomes "A supersedes B".
// It returns the two documents in the order of the new relation.
func Forward[T any](from, to T, relation said.Relation) (newFrom, newTo T, forward said.Relation) {
	switch relation {
	case said.SupersededBy:
		return to, from, said.Supersedes
	case said.AmendedBy:
		return to, from, said.Amends
	default:
		return from, to, relation
	}
}

// weights says which of several relations between two documents is drawn.
var weights = map[said.Relation]int{said.Amends: 1, said.Supersedes: 2}

// Graph returns the graph of the documents that can be indexed. today, in the form 2026-11-26, decides which of them
// have expired.
func (s *Set) Graph(today string) *Graph {
	g := &Graph{Nodes: []Node{}, Edges: []Edge{}}
	at := map[*Document]int{}
	standings := s.Standings()
	for _, d := range s.Documents {
		if d.Err == nil {
			at[d] = len(g.Nodes)
			standing := standings.Of(d.Path, today)
			g.Nodes = append(g.Nodes, Node{
				Path: d.Path, Title: d.Title, DocType: d.DocType, Level: d.Level, Orphan: true,
				Mark: standing.Mark(), Holds: standing.Holds(),
			})
		}
	}
	relations := map[[2]int]said.Relation{}
	for _, d := range s.Documents {
		for _, target := range d.Targets {
			if other := target.Document; d.Err == nil && other != nil && other != d {
				from, to, relation := Forward(at[d], at[other], target.Relation)
				pair := [2]int{from, to}
				if known, ok := relations[pair]; !ok || weights[relation] > weights[known] {
					relations[pair] = relation
				}
				g.Nodes[at[d]].Orphan, g.Nodes[at[other]].Orphan = false, false
			}
		}
	}
	for pair, relation := range relations {
		backwards, mutual := relations[[2]int{pair[1], pair[0]}]
		// Keep one of two directions: a relation before a link, and otherwise the direction from the first path.
		if mutual && (weights[backwards] > weights[relation] || weights[backwards] == weights[relation] && pair[0] > pair[1]) {
			continue
		}
		g.Edges = append(g.Edges, Edge{
			From: pair[0], To: pair[1], Mutual: mutual, Supersedes: relation == said.Supersedes, Amends: relation == said.Amends,
		})
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

// label returns the title, with why the document must not be taken as it is.
func (n Node) label() string {
	if n.Mark == "" {
		return n.Title
	}
	return n.Title + " (" + n.Mark + ")"
}
