package rag

import (
	"context"
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/dominikbraun/graph"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// link is where a document's link leads, as paths in the repository.
type link struct {
	target string
	// fallback is what is meant if there is no document at target, "" for nothing.
	fallback string
}

// resolveLinks makes link destinations found in the file at source relative to
// the repository. Those that lead out of it are left out.
func resolveLinks(source string, destinations []string) []link {
	links := []link{}
	for _, destination := range destinations {
		if target, ok := resolveLink(source, destination); ok {
			links = append(links, link{target: target})
		}
	}
	return dedupe(links)
}

// resolveRelated resolves the related_docs of the file at source. Writers give
// them relative to the file ("../tools/x.md"), to the docs folder ("tools/x.md"),
// or to the repository ("/csharp-compounding-docs/tools/x.md"), with an anchor
// or without. Which of the first two is meant depends on which exists.
func resolveRelated(source string, related []string) []link {
	docs, _, _ := strings.Cut(source, "/")
	links := []link{}
	for _, given := range related {
		destination, ok := markdown.RelativeLink(withoutAnchor(given))
		if !ok {
			continue
		}
		inDocs := strings.TrimPrefix(path.Clean(destination), "/")
		if !strings.HasPrefix(inDocs, docs+"/") {
			inDocs = path.Join(docs, inDocs)
		} else {
			destination = "/" + inDocs
		}
		candidates := []string{}
		if target, ok := resolveLink(source, destination); ok {
			candidates = append(candidates, target)
		}
		if strings.HasPrefix(inDocs, docs+"/") && inDocs != source && !slices.Contains(candidates, inDocs) {
			candidates = append(candidates, inDocs)
		}
		switch len(candidates) {
		case 1:
			links = append(links, link{target: candidates[0]})
		case 2:
			links = append(links, link{target: candidates[0], fallback: candidates[1]})
		}
	}
	return dedupe(links)
}

var anchored = regexp.MustCompile(`(?i)^(.*?\.md)[#?]`)

// withoutAnchor leaves out what follows the name of a file, and writes a # that
// belongs to the name, as in "tools/c#.md", so that it is none of an anchor.
func withoutAnchor(destination string) string {
	if found := anchored.FindStringSubmatch(destination); found != nil {
		destination = found[1]
	}
	if strings.HasSuffix(strings.ToLower(destination), ".md") {
		destination = strings.NewReplacer("#", "%23", "?", "%3F").Replace(destination)
	}
	return destination
}

func resolveLink(source, destination string) (string, bool) {
	if strings.HasPrefix(destination, "/") {
		destination = strings.TrimPrefix(path.Clean(destination), "/")
	} else {
		destination = path.Join(path.Dir(source), destination)
	}
	return destination, insideRepository(destination) && destination != source
}

func insideRepository(target string) bool {
	return target != "" && target != "." && target != ".." && !strings.HasPrefix(target, "../") &&
		!strings.ContainsRune(target, 0)
}

// dedupe keeps the first of equal links, and no more than maxLinks.
func dedupe(links []link) []link {
	seen := make(map[link]bool, len(links))
	links = slices.DeleteFunc(links, func(l link) bool {
		again := seen[l]
		seen[l] = true
		return again
	})
	return links[:min(len(links), maxLinks)]
}

// linkCache holds a tenant's link graph as of one version of its documents.
type linkCache struct {
	version int64
	graph   linkGraph
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
	// depth is how many links away a document may be, documents how many of them
	// are returned.
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

// follow walks the tenant's links breadth-first from the documents at the given
// paths, as far as limits say, and returns documents that are not among them,
// nearest first. A document is visited once, so cycles end.
func (l *Library) follow(ctx context.Context, tenant *Tenant, from []string, limits linkLimits) ([]Linked, error) {
	if limits.depth <= 0 || limits.documents <= 0 || len(from) == 0 {
		return []Linked{}, nil
	}
	links, err := l.linkGraph(ctx, tenant)
	if err != nil {
		return nil, err
	}
	found := links.walk(from, limits)
	paths := make([]string, len(found))
	for i, link := range found {
		paths[i] = link.Path
	}
	err = l.db.Read(ctx, "read linked documents", func(q *db.Queries) error {
		rows, err := q.DocumentsByPath(ctx, db.DocumentsByPathParams{
			ProjectID: tenant.projectID, TenantID: tenant.id, Collection: Compounding, RelativePaths: paths,
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

func (g linkGraph) walk(from []string, limits linkLimits) []Linked {
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

// linkGraph returns the tenant's link graph, read again only when its documents
// have changed.
func (l *Library) linkGraph(ctx context.Context, tenant *Tenant) (linkGraph, error) {
	var version int64
	var edges []db.LinkEdgesRow
	var cached linkGraph
	err := l.db.Read(ctx, "read links", func(q *db.Queries) (err error) {
		version, err = q.TenantVersion(ctx, db.TenantVersionParams{ProjectID: tenant.projectID, ID: tenant.id})
		if err != nil {
			return err
		}
		if cached = tenant.cachedLinks(version); cached.neighbours != nil {
			return nil
		}
		edges, err = q.LinkEdges(ctx, db.LinkEdgesParams{
			ProjectID: tenant.projectID, TenantID: tenant.id, Collection: Compounding,
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
	l.warnOfCycles(ctx, tenant, links.neighbours, components)
	tenant.mu.Lock()
	defer tenant.mu.Unlock()
	tenant.links = linkCache{version: version, graph: links}
	return links, nil
}

// cachedLinks returns the graph as of the version, or one without neighbours.
func (t *Tenant) cachedLinks(version int64) linkGraph {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.links.version != version {
		return linkGraph{}
	}
	return t.links.graph
}

// adjacency builds the graph of the edges and returns each document's links in
// the order of its text, with its strongly connected components. The traversal runs
// on the map: the graph library's own traversals rebuild it every time.
func adjacency(edges []db.LinkEdgesRow) (neighbours map[string][]string, components [][]string, err error) {
	links := graph.New(graph.StringHash, graph.Directed())
	for i, edge := range edges {
		for _, vertex := range []string{edge.SourcePath, edge.TargetPath} {
			if err := links.AddVertex(vertex); err != nil && !errors.Is(err, graph.ErrVertexAlreadyExists) {
				return nil, nil, err
			}
		}
		err := links.AddEdge(edge.SourcePath, edge.TargetPath, graph.EdgeWeight(i))
		if err != nil && !errors.Is(err, graph.ErrEdgeAlreadyExists) {
			return nil, nil, err
		}
	}
	adjacent, err := links.AdjacencyMap()
	if err != nil {
		return nil, nil, err
	}
	neighbours = make(map[string][]string, len(adjacent))
	for source, targets := range adjacent {
		ordered := make([]graph.Edge[string], 0, len(targets))
		for _, edge := range targets {
			ordered = append(ordered, edge)
		}
		slices.SortFunc(ordered, func(a, b graph.Edge[string]) int { return a.Properties.Weight - b.Properties.Weight })
		for _, edge := range ordered {
			neighbours[source] = append(neighbours[source], edge.Target)
		}
	}
	components, err = graph.StronglyConnectedComponents(links)
	return neighbours, components, err
}
