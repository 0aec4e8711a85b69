package workspace

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/staleness"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/watch"
)

// Project is the active project on one branch. Its index follows its files until
// another project or branch takes its place. Safe for concurrent use.
type Project struct {
	Definition *project.Project
	Tenant     *catalog.Tenant

	index  *index.Index
	logger *slog.Logger
	docs   tree
	trees  []tree // docs among them
	queue  *index.Queue
	stale  *staleDocuments
	// recalled are the collections that hooks search.
	recalled []catalog.Collection
	// unusedTextAge is how long text stays in the index that no document uses.
	unusedTextAge time.Duration

	life   context.Context //nolint:containedctx // ends when another project takes its place
	cancel context.CancelFunc
	ended  chan struct{} // closed when nothing of it runs any more

	// seen is what its goroutine saw last, nil before the first look.
	seen atomic.Pointer[seen]
	// deleted is set for good once the tenant is known to be deleted.
	deleted atomic.Bool
	// wake holds a token when the goroutine is to look at once, and changed when the status
	// has changed.
	wake, changed chan struct{}

	// editing lets one edit of a file at a time take place in this server.
	editing sync.Mutex
}

// tree is a folder, its index, and the mirror that keeps the two equal. The observer runs
// while another server indexes: it looks at the folder only.
type tree struct {
	folder           watch.Folder
	indexer          *index.Indexer
	mirror, observer *watch.Mirror
}

// newProject returns a project that nothing follows yet. It ends with w.
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
	a.stale = &staleDocuments{
		checker: staleness.NewChecker(p.Root), logger: a.logger,
		cited: func(ctx context.Context) ([]index.CitedPlaces, error) {
			if slices.Contains(a.recalled, catalog.External) {
				return x.CitedPlaces(ctx, tenant, catalog.Compounding, catalog.External)
			}
			return x.CitedPlaces(ctx, tenant, catalog.Compounding)
		},
		asked: make(chan struct{}, 1), known: make(chan struct{}), found: make(chan struct{}),
	}
	a.unusedTextAge = w.settings.UnusedTextAge()
	config := watch.Config{Debounce: w.settings.FileWatcher.Debounce(), Ready: a.ready, OnChange: onChange}
	add := func(folder watch.Folder, indexer *index.Indexer) tree {
		indexer.Source, indexer.OnWritten = folder, a.queue.Wake
		t := tree{
			folder: folder, indexer: indexer, mirror: watch.NewMirror(folder, indexer, config, a.logger),
			observer: watch.NewMirror(folder, nil, config, slog.New(slog.DiscardHandler)), // the other server says what it meets
		}
		a.trees = append(a.trees, t)
		return t
	}
	a.docs = add(docsFolder(p), x.Indexer(tenant, catalog.Compounding, p))
	a.docs.indexer.Dates = newCommitDates(p, a.logger).Dates
	if external, ok := p.External(); ok {
		add(externalFolder(p, external), x.Indexer(tenant, catalog.External, nil))
	}
	return a
}

// Folders returns the folders that are indexed for a project, that of its own documents
// first.
func Folders(p *project.Project) []watch.Folder {
	folders := []watch.Folder{docsFolder(p)}
	if external, ok := p.External(); ok {
		folders = append(folders, externalFolder(p, external))
	}
	return folders
}

func docsFolder(p *project.Project) watch.Folder {
	return watch.Folder{
		Dir: filepath.Join(p.Root, filepath.FromSlash(p.DocsDir())), Inside: p.Root, Prefix: p.DocsDir(),
		Match: p.IsDocument, Prune: p.PruneDocuments, MayBeMissing: true,
	}
}

// externalPrefix makes paths relative to the repository. Paths of a folder outside
// the repository stay absolute.
func externalPrefix(external project.External) string {
	switch external.RelDir {
	case "":
		return filepath.ToSlash(external.Dir)
	case ".":
		return ""
	default:
		return external.RelDir
	}
}

// Compounding returns the scope of the project's own documents.
func (p *Project) Compounding() catalog.Scope {
	return catalog.Scope{Tenant: p.Tenant, Collection: catalog.Compounding}
}

// External returns the scope of the external documentation, if [Workspace.External] says that
// there is any.
func (p *Project) External() catalog.Scope {
	return catalog.Scope{Tenant: p.Tenant, Collection: catalog.External}
}

// DocTypeCount is a doc-type and the number of its documents.
type DocTypeCount struct {
	project.DocType
	Documents int
}

// DocTypes returns the project's doc-types in their order, with document counts.
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
