package answer

import (
	"context"
	"slices"
	"strings"

	"github.com/dominikbraun/graph"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// linkGraph has the links between the documents of a tenant.
type linkGraph struct {
	tenant  int32
	version int64 // of the tenant's documents
	// targets has the paths to which a document links, by the path of this document, in the order of its links.
	targets map[string][]string
	// levels are the levels of the documents to which links lead, by path.
	levels map[string]catalog.Level
	// circles has one text for each circle of links: the paths in the circle.
	circles []string
}

// Linked is a document reached over links.
type Linked struct {
	rag.Hit // without a passage and a score

	// From is the path of the document from which this document was reached: by a link, or as its latest successor.
	From string
}

// linked follows links breadth-first from the sources. It returns each document that it reaches once, the nearest
// first, without the sources. The latest successor of a document comes before the document. linked does not start at an
// unrelated critical document, because the targets of its links would use up MaxLinked before better documents.
func (a *Answerer) linked(ctx context.Context, results rag.Hits, sources []rag.Hit, question Question) ([]Linked, error) {
	var starts []string
	for _, hit := range sources {
		if hit.Level != catalog.Critical || hit.Score >= question.MinScore {
			starts = append(starts, hit.Path)
		}
	}
	if question.MaxDepth <= 0 || question.MaxLinked <= 0 || len(starts) == 0 {
		return []Linked{}, nil
	}
	links, err := a.linkGraph(ctx, results)
	if err != nil {
		return nil, err
	}
	reached := links.reach(starts, question)
	for i := 0; i < len(reached); i++ {
		path := reached[i].Path
		latest := results.Latest(path)
		seen := func(link Linked) bool { return link.Path == latest }
		if latest != path && !slices.Contains(starts, latest) && !slices.ContainsFunc(reached, seen) {
			reached = slices.Insert(reached, i, Linked{rag.Hit{Path: latest}, path})
			i++
		}
	}
	reached = reached[:min(len(reached), question.MaxLinked)]
	paths := make([]string, len(reached))
	for i, link := range reached {
		paths[i] = link.Path
	}
	documents, err := a.documents(ctx, results, paths, question.MinLevel)
	if err != nil {
		return nil, err
	}
	for _, hit := range documents {
		reached[slices.Index(paths, hit.Path)].Hit = hit
	}
	// A document may have gone since the graph was read. A successor may be below the minimum level.
	return slices.DeleteFunc(reached, func(link Linked) bool { return link.ID == 0 }), nil
}

// documents returns the documents at the paths, without their passages. It leaves out documents below minLevel.
func (a *Answerer) documents(ctx context.Context, results rag.Hits, paths []string, minLevel catalog.Level) ([]rag.Hit, error) {
	scope := results.Scope()
	rows, err := db.ReadOne(ctx, a.db, "read documents", (*db.Queries).DocumentsByPath, db.DocumentsByPathParams{
		ProjectID: scope.Tenant.ProjectID, TenantID: scope.Tenant.ID, Collection: scope.Collection, RelativePaths: paths,
	})
	hits := []rag.Hit{}
	for _, row := range rows {
		if rank(row.PromotionLevel) < rank(minLevel) {
			continue
		}
		hits = append(hits, rag.Hit{
			ID: row.ID, Path: row.RelativePath, Title: row.Title, Summary: row.Summary, CharCount: int(row.CharCount),
			DocType: row.DocType, Date: row.DocDate, Level: row.PromotionLevel,
			Stamp: document.Stamp{
				Size: row.FileSize, ModTime: row.FileMtime, ChangeTime: row.FileCtime, Inode: uint64(row.FileInode),
			},
			Standing: results.Standing(row.RelativePath),
		})
	}
	return hits, err
}

// reach follows links from the paths in starts. It returns what it finds, nearest first, with only Path and From set.
func (g *linkGraph) reach(starts []string, question Question) []Linked {
	reached := []Linked{}
	seen := make(map[string]bool, len(starts))
	for _, source := range starts {
		seen[source] = true
	}
	frontier := starts
	for range question.MaxDepth {
		var next []string
		for _, source := range frontier {
			for _, target := range g.targets[source] {
				if seen[target] || rank(g.levels[target]) < rank(question.MinLevel) {
					continue
				}
				if len(reached) == question.MaxLinked {
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

// linkGraph returns the link graph of the tenant. It reads the graph again after a change of documents.
func (a *Answerer) linkGraph(ctx context.Context, results rag.Hits) (*linkGraph, error) {
	tenant := results.Scope().Tenant
	known := a.links.Load()
	if known != nil && known.tenant == tenant.ID && known.version == results.Version() {
		return known, nil
	}
	edges, err := db.ReadOne(ctx, a.db, "read links", (*db.Queries).LinkEdges, db.LinkEdgesParams{
		ProjectID: tenant.ProjectID, TenantID: tenant.ID, Collection: catalog.Compounding,
	})
	if err != nil {
		return nil, err
	}
	read := &linkGraph{
		tenant: tenant.ID, version: results.Version(), targets: map[string][]string{}, levels: map[string]catalog.Level{},
	}
	links := graph.New(graph.StringHash, graph.Directed())
	for _, edge := range edges {
		_, _ = links.AddVertex(edge.SourcePath), links.AddVertex(edge.TargetPath)
		if links.AddEdge(edge.SourcePath, edge.TargetPath) == nil { // AddEdge fails for a second link to the same document
			read.targets[edge.SourcePath] = append(read.targets[edge.SourcePath], edge.TargetPath)
		}
		read.levels[edge.TargetPath] = edge.TargetLevel
	}
	components, _ := graph.StronglyConnectedComponents(links) // fails only for an undirected graph
	for _, component := range components {
		if len(component) > 1 {
			read.circles = append(read.circles, strings.Join(slices.Sorted(slices.Values(component)), ", "))
		}
	}
	isKnown := func(circle string) bool {
		return known != nil && known.tenant == tenant.ID && slices.Contains(known.circles, circle)
	}
	// Circles do no harm, but writers seldom want them, so new circles are logged.
	unknown := slices.DeleteFunc(slices.Clone(read.circles), isKnown)
	for _, circle := range unknown[:min(len(unknown), 10)] {
		a.logger.WarnContext(ctx, "circular links: each document is followed once",
			"project", tenant.Key.Project, "branch", tenant.Key.Branch, "paths", markdown.CutRunes(circle, maxCircle))
	}
	a.links.Store(read)
	return read, nil
}

// maxCircle bounds the paths of a circle in the log, in characters.
const maxCircle = 1000
