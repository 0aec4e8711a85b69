package answer

import (
	"context"
	"slices"
	"strings"

	"github.com/dominikbraun/graph"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// maxLinkGraphs is how many tenants' link graphs are kept in memory.
const maxLinkGraphs = 8

// linkGraph is a tenant's documents and the links between them.
type linkGraph struct {
	version int64 // of the tenant's documents
	// neighbours gives a document's links in the order of its text.
	neighbours map[string][]string
	// levels are those of the documents that links lead to.
	levels map[string]catalog.Level
}

// linkLimits bound how far links are followed.
type linkLimits struct {
	depth, documents int
	// minLevel is the lowest level of a document that is returned or followed.
	minLevel catalog.Level
}

// Linked is a document reached over links.
type Linked struct {
	rag.Hit // without a passage and a score

	// From is the path of the document whose link led here, or of one that this replaces.
	From string
}

// follow traverses the tenant's links breadth-first from the documents at the given paths, and
// returns the other documents that it reaches, nearest first. A document comes behind its latest
// successor, and is visited once.
func (a *Answerer) follow(ctx context.Context, results rag.Hits, from []string, limits linkLimits) ([]Linked, error) {
	if limits.depth <= 0 || limits.documents <= 0 || len(from) == 0 {
		return []Linked{}, nil
	}
	links, err := a.linkGraph(ctx, results)
	if err != nil {
		return nil, err
	}
	reached := links.traverse(from, limits)
	for i := 0; i < len(reached); i++ {
		path := reached[i].Path
		latest := results.Latest(path)
		if latest == path {
			continue
		}
		seen := func(link Linked) bool { return link.Path == latest }
		if !slices.Contains(from, latest) && !slices.ContainsFunc(reached, seen) {
			reached = slices.Insert(reached, i, Linked{rag.Hit{Path: latest}, path})
			i++
		}
	}
	reached = reached[:min(len(reached), limits.documents)]
	paths := make([]string, len(reached))
	for i, link := range reached {
		paths[i] = link.Path
	}
	documents, err := a.documents(ctx, results, paths)
	if err != nil {
		return nil, err
	}
	for _, hit := range documents {
		reached[slices.Index(paths, hit.Path)].Hit = hit
	}
	// A document may have gone since the graph was read.
	return slices.DeleteFunc(reached, func(link Linked) bool { return link.ID == 0 }), nil
}

func (g linkGraph) traverse(from []string, limits linkLimits) []Linked {
	reached := []Linked{}
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
				if len(reached) == limits.documents {
					return reached
				}
				seen[target] = true
				reached = append(reached, Linked{rag.Hit{Path: target}, source})
				next = append(next, target)
			}
		}
		frontier = next
	}
	return reached
}

// linkGraph returns the link graph of the tenant, which it reads again when documents have changed.
func (a *Answerer) linkGraph(ctx context.Context, results rag.Hits) (linkGraph, error) {
	tenant := results.Scope().Tenant
	known, ok := a.links.Get(tenant.ID)
	if ok && known.version == results.Version() {
		return known, nil
	}
	edges, err := db.ReadOne(ctx, a.db, "read links", (*db.Queries).LinkEdges, db.LinkEdgesParams{
		ProjectID: tenant.ProjectID, TenantID: tenant.ID, Collection: catalog.Compounding,
	})
	if err != nil {
		return linkGraph{}, err
	}
	links := linkGraph{version: results.Version(), neighbours: map[string][]string{}, levels: map[string]catalog.Level{}}
	for _, edge := range edges {
		links.neighbours[edge.SourcePath] = append(links.neighbours[edge.SourcePath], edge.TargetPath)
		links.levels[edge.TargetPath] = edge.TargetLevel
	}
	if !ok {
		a.warnOfCircles(ctx, tenant, links)
	}
	a.links.Add(tenant.ID, links)
	return links, nil
}

// warnOfCircles logs up to 10 circles of links: they do no harm, but writers seldom want them.
func (a *Answerer) warnOfCircles(ctx context.Context, tenant *catalog.Tenant, links linkGraph) {
	directed := graph.New(graph.StringHash, graph.Directed())
	for source, targets := range links.neighbours {
		for _, target := range targets { // what is there already is no error here
			_, _, _ = directed.AddVertex(source), directed.AddVertex(target), directed.AddEdge(source, target)
		}
	}
	components, _ := graph.StronglyConnectedComponents(directed) // it fails for an undirected graph
	circles := slices.DeleteFunc(components, func(documents []string) bool { return len(documents) < 2 })
	for _, circle := range circles[:min(len(circles), 10)] {
		slices.Sort(circle)
		a.logger.WarnContext(ctx, "circular links: each document is followed once",
			"project", tenant.Key.Project, "branch", tenant.Key.Branch,
			"documents", len(circle), "paths", strings.Join(circle[:min(len(circle), 20)], ", "))
	}
}
