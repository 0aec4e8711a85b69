package workspace

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/compound-docs/compound-docs/internal/hooks/quoted"
	"github.com/compound-docs/compound-docs/internal/hooks/trigger"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/watch"
)

// Project is a project on one branch. The index follows the project's files until another project or branch becomes
// active. Safe for concurrent use.
type Project struct {
	Definition *project.Project
	Tenant     *catalog.Tenant

	index    *index.Index
	logger   *slog.Logger
	docs     tree
	trees    []tree // all trees; docs is the first
	queue    *index.Queue
	stale    *staleDocuments
	book     *bookshelf
	recalled []catalog.Collection // collections that hooks search

	unusedTextAge time.Duration // how long the index keeps text that no document has any more

	life   context.Context //nolint:containedctx // ends when another project replaces this one
	cancel context.CancelFunc
	ended  chan struct{} // closed when [Workspace.run] has ended

	latest  atomic.Pointer[snapshot] // nil before the first look
	deleted atomic.Bool              // the tenant was deleted; never unset
	dates   *commitDates
	wake    chan struct{} // holds a token when a look is due at once
	changed chan struct{} // holds a token when the status has changed
	editing sync.Mutex    // one edit of a file at a time
}

// tree is a folder, its indexer, and the mirror that keeps the index equal to the folder. While another server
// indexes, the mirror only observes the folder.
type tree struct {
	folder watch.Folder
	// collection is the collection of the folder's documents.
	collection catalog.Collection
	indexer    *index.Indexer
	mirror     *watch.Mirror
}

// newProject returns a project. Nothing follows its files before [Workspace.start]. Closing w also ends the project.
func (w *Workspace) newProject(p *project.Project, tenant *catalog.Tenant) *Project {
	x := w.index
	a := &Project{
		Definition: p, Tenant: tenant, index: x, recalled: w.recalled(p), ended: make(chan struct{}),
		wake: make(chan struct{}, 1), changed: make(chan struct{}, 1),
		logger: w.logger.With("project", tenant.Key.Project, "branch", tenant.Key.Branch),
	}
	a.life, a.cancel = context.WithCancel(w.life)
	onChange := func() { signal(a.changed) }
	a.queue = x.Queue(tenant, catalog.Compounding, catalog.External).OnChange(onChange)
	a.book = &bookshelf{index: x, tenant: tenant, logger: a.logger, book: quoted.NewBook(nil)}
	isHandbook := func(c catalog.Collection) bool { return c == catalog.Handbook }
	a.book.collections = slices.DeleteFunc(slices.Clone(a.recalled), isHandbook)
	a.stale = &staleDocuments{
		root: p.Root, once: w.once, logger: a.logger,
		cited: func(ctx context.Context) ([]index.CitedPlaces, error) { return x.Citations(ctx, a.Compounding()) },
		due:   make(chan struct{}, 1), checked: make(chan struct{}),
	}
	a.unusedTextAge = time.Duration(w.Settings.UnusedTextHours * float64(time.Hour))
	debounce := time.Duration(w.Settings.FileWatcher.DebounceMS) * time.Millisecond
	config := watch.Config{Debounce: debounce, Ready: a.ready, OnChange: onChange}
	add := func(folder watch.Folder, in catalog.Collection, indexer *index.Indexer) {
		indexer.Source, indexer.Cues, indexer.OnWritten = folder, trigger.Cues, a.queue.Wake
		t := tree{folder: folder, collection: in, indexer: indexer, mirror: watch.NewMirror(folder, indexer, config, a.logger)}
		a.trees = append(a.trees, t)
	}
	a.dates = &commitDates{project: p, logger: a.logger}
	own := OwnFolders(p)
	for i, folder := range own {
		indexer := x.Indexer(tenant, catalog.Compounding, p)
		indexer.Dates, indexer.Owns = a.dates.Dates, ownedBy(i, own)
		add(folder, catalog.Compounding, indexer)
	}
	a.docs = a.trees[0]
	if external, ok := p.External(); ok {
		add(ExternalFolder(p, external), catalog.External, x.Indexer(tenant, catalog.External, nil))
	}
	return a
}

// ownedBy returns the function [index.Indexer.Owns] for folders[at]. The first folder owns all documents that no other
// folder owns, so that its indexer removes the documents of former folders. nil means all documents.
func ownedBy(at int, folders []watch.Folder) func(indexed string) bool {
	if at > 0 {
		return folders[at].Owns
	}
	if len(folders) == 1 {
		return nil
	}
	return func(indexed string) bool {
		return !slices.ContainsFunc(folders[1:], func(other watch.Folder) bool { return other.Owns(indexed) })
	}
}

// OwnFolders returns the folders of a project's own documents: the folder of the documents first, then the folders of
// rules for assistants.
func OwnFolders(p *project.Project) []watch.Folder {
	folders := []watch.Folder{docsFolder(p)}
	for _, name := range p.RuleFolders() {
		folders = append(folders, watch.Folder{
			Dir: filepath.Join(p.Root, filepath.FromSlash(name)), Inside: p.Root, TopHidden: true, Prefix: name,
			Match: project.IsRuleFile, MayBeMissing: true,
		})
	}
	return folders
}

func docsFolder(p *project.Project) watch.Folder {
	folder := watch.Folder{
		Dir: filepath.Join(p.Root, filepath.FromSlash(p.DocumentsRoot())), Inside: p.Root, Prefix: p.DocumentsRoot(),
		Match: p.IsDocument, Prune: p.PruneDocuments, Excluded: p.Excluded, MayBeMissing: true,
	}
	if folder.Prefix == "." {
		folder.Prefix = ""
	}
	return folder
}

// Compounding returns the scope of the project's own documents.
func (p *Project) Compounding() catalog.Scope {
	return catalog.Scope{Tenant: p.Tenant, Collection: catalog.Compounding}
}

// External returns the scope of the external docs. Call [Workspace.External] first to check that the project has
// external docs.
func (p *Project) External() catalog.Scope {
	return catalog.Scope{Tenant: p.Tenant, Collection: catalog.External}
}

// DocTypeCount is a doc-type and the number of its documents.
type DocTypeCount struct {
	project.DocType
	Documents int
}

// DocTypes returns the project's doc-types in the order of [project.Project.DocTypes], with document counts.
func (p *Project) DocTypes(ctx context.Context) ([]DocTypeCount, error) {
	documents, err := p.index.CountByType(ctx, p.Compounding())
	if err != nil {
		return nil, err
	}
	counts := make([]DocTypeCount, 0, len(p.Definition.DocTypes()))
	for _, docType := range p.Definition.DocTypes() {
		counts = append(counts, DocTypeCount{DocType: docType, Documents: documents[docType.Name]})
	}
	return counts, nil
}
