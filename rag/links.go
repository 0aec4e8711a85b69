package rag

import (
	"context"
	"errors"
	"slices"

	"github.com/dominikbraun/graph"

	"github.com/compound-docs/compound-docs/db"
)

// linkCache holds a tenant's link graph as of one version of its documents.
type linkCache struct {
	version int64
	graph   linkGraph
	cycles  [][]string
}

// linkGraph is a tenant's documents and the links between them.
type linkGraph struct {
	// neighbours gives a document's links in the order of its text.
	neighbours map[string][]string
	// levels are those of the documents that links lead to.
	levels map[string]Level
}

// linkLimits bound how far links are followed.
type linkLimits struct {
	// depth is how many links away a document may be, and documents how many are
	// returned.
	depth, documents int
	// minLevel is the lowest level of a document that is returned, or whose links
	// are followed.
	minLevel Level
}

// Linked is a document reached over links.
type Linked struct {
	Path, Title string
	CharCount   int
	// From is the path of the document whose link led here.
	From string

	id int64
}

// follow traverses the tenant's links breadth-first from the documents at the given
// paths, within the limits. It returns the documents that it reaches, nearest first,
// without those that it began with. A document is visited once, so cycles end.
func (s *Searcher) follow(ctx context.Context, tenant *Tenant, from []string, limits linkLimits) ([]Linked, error) {
	if limits.depth <= 0 || limits.documents <= 0 || len(from) == 0 {
		return []Linked{}, nil
	}
	links, err := s.linkGraph(ctx, tenant)
	if err != nil {
		return nil, err
	}
	found := links.traverse(from, limits)
	paths := make([]string, len(found))
	for i, link := range found {
		paths[i] = link.Path
	}
	err = s.db.Read(ctx, "read linked documents", func(q *db.Queries) error {
		rows, err := q.DocumentsByPath(ctx, db.DocumentsByPathParams{
			ProjectID: tenant.ProjectID, TenantID: tenant.ID, Collection: Compounding, RelativePaths: paths,
		})
		for _, row := range rows {
			i := slices.Index(paths, row.RelativePath)
			found[i].id, found[i].Title, found[i].CharCount = row.ID, row.Title, int(row.CharCount)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	// A document may have gone since the graph was read.
	return slices.DeleteFunc(found, func(link Linked) bool { return link.id == 0 }), nil
}

func (g linkGraph) traverse(from []string, limits linkLimits) []Linked {
	found := []Linked{}
	seen := make(map[string]bool, len(from))
	for _, source := range from {
		seen[source] = true
	}
	frontier := from
	for range limits.depth {
		var next []string
		for _, source := range frontier {
			for _, target := range g.neighbours[source] {
				if seen[target] || rank(g.levels[target]) < rank(limits.minLevel) {
					continue
				}
				if len(found) == limits.documents {
					return found
				}
				seen[target] = true
				found = append(found, Linked{Path: target, From: source})
				next = append(next, target)
			}
		}
		frontier = next
	}
	return found
}

// linkGraph returns the tenant's link graph. It reads the graph again only when the
// tenant's documents have changed.
func (s *Searcher) linkGraph(ctx context.Context, tenant *Tenant) (linkGraph, error) {
	var version int64
	var edges []db.LinkEdgesRow
	var cached linkGraph
	err := s.db.Read(ctx, "read links", func(q *db.Queries) (err error) {
		versions, err := readVersion(ctx, q, tenant)
		if err != nil {
			return err
		}
		version = versions.Version
		if known, ok := s.links.Get(tenant.ID); ok && known.version == version {
			cached = known.graph
			return nil
		}
		edges, err = q.LinkEdges(ctx, db.LinkEdgesParams{
			ProjectID: tenant.ProjectID, TenantID: tenant.ID, Collection: Compounding,
		})
		return err
	})
	if err != nil || cached.neighbours != nil {
		return cached, err
	}
	links := linkGraph{levels: make(map[string]Level, len(edges))}
	for _, edge := range edges {
		links.levels[edge.TargetPath] = edge.TargetLevel
	}
	var components [][]string
	if links.neighbours, components, err = adjacency(edges); err != nil {
		return linkGraph{}, err
	}
	current := linkCache{version: version, graph: links, cycles: cyclesOf(links.neighbours, components)}
	s.linksMu.Lock()
	previous, _ := s.links.Get(tenant.ID)
	s.links.Add(tenant.ID, current)
	s.linksMu.Unlock()
	s.warnOfCycles(ctx, tenant, newCycles(previous.cycles, current.cycles))
	return links, nil
}

// adjacency returns each document's links in the order of its text, and the strongly
// connected components of the graph that they make.
func adjacency(edges []db.LinkEdgesRow) (neighbours map[string][]string, components [][]string, err error) {
	links := graph.New(graph.StringHash, graph.Directed())
	neighbours = map[string][]string{}
	for _, edge := range edges {
		for _, vertex := range []string{edge.SourcePath, edge.TargetPath} {
			if err := links.AddVertex(vertex); err != nil && !errors.Is(err, graph.ErrVertexAlreadyExists) {
				return nil, nil, err
			}
		}
		switch err := links.AddEdge(edge.SourcePath, edge.TargetPath); {
		case errors.Is(err, graph.ErrEdgeAlreadyExists):
		case err != nil:
			return nil, nil, err
		default:
			// traverse runs on this map: the library's own traversals build one at every call.
			neighbours[edge.SourcePath] = append(neighbours[edge.SourcePath], edge.TargetPath)
		}
	}
	components, err = graph.StronglyConnectedComponents(links)
	return neighbours, components, err
}
