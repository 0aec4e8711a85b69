package workspace

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/panics"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/staleness"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/watch"
)

// Project is the active project on one branch. Its index follows its files until
// another project or branch takes its place. Safe for concurrent use.
type Project struct {
	Definition *project.Project
	Tenant     *catalog.Tenant

	index   *index.Index
	logger  *slog.Logger
	docs    tree
	trees   []tree // docs among them
	queue   *index.Queue
	sweeper *index.Sweeper
	stale   *staleDocuments
	cancel  context.CancelFunc
	running sync.WaitGroup

	// editing lets one edit of a file at a time take place in this server.
	editing sync.Mutex

	mu sync.Mutex
	// decided is set once it is known which server indexes the tenant. leading is
	// set while this one does. notLeading is why it cannot; nil if another does.
	decided    bool
	leading    bool
	notLeading error
	// configProblem is the error in a config that changed after the activation.
	configProblem error
	// once is how far the one sync of a workspace came that is used once; nil for others.
	once    *Status
	changed chan struct{} // closed and replaced when the status changes
}

// tree is a folder, its index, and the mirror that keeps the two equal.
type tree struct {
	folder  watch.Folder
	indexer *index.Indexer
	mirror  *watch.Mirror
}

func newProject(
	x *index.Index, p *project.Project, tenant *catalog.Tenant, settings project.Settings,
	logger *slog.Logger,
) *Project {
	a := &Project{
		Definition: p, Tenant: tenant, index: x, changed: make(chan struct{}),
		logger: logger.With("project", tenant.Key.Project, "branch", tenant.Key.Branch),
	}
	a.queue = x.Queue(tenant, catalog.Compounding, catalog.External).OnChange(a.notify)
	a.stale = &staleDocuments{
		checker: staleness.NewChecker(p.Root), folder: p.DocsDir(), read: a.Read, logger: a.logger,
		cited: func(ctx context.Context) ([]index.CitedPlaces, error) { return x.CitedPlaces(ctx, a.Compounding()) },
		asked: make(chan struct{}, 1), found: make(chan struct{}),
	}
	a.sweeper = x.Sweeper(tenant, settings.UnusedTextAge())
	config := watch.Config{Debounce: settings.FileWatcher.Debounce(), Ready: a.ready, OnChange: a.notify}
	add := func(folder watch.Folder, indexer *index.Indexer) tree {
		indexer.Source, indexer.OnWritten, indexer.Sweeper = folder, a.queue.Wake, a.sweeper
		t := tree{folder: folder, indexer: indexer, mirror: watch.NewMirror(folder, indexer, config, a.logger)}
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

// temporaryAge is how old a temporary file is that no edit is writing any more.
const temporaryAge = time.Minute

// start indexes and follows the files while this server leads the tenant, and has
// Ollama load the embedding model.
func (p *Project) start() {
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	p.running.Go(func() { p.index.Warm(ctx) })
	p.running.Go(func() {
		if err := p.docs.folder.RemoveTemporary(ctx, time.Now().Add(-temporaryAge)); err != nil && ctx.Err() == nil {
			p.logger.DebugContext(ctx, "remove what a killed promotion has left", "error", err)
		}
	})
	p.running.Go(func() {
		panics.Restart(ctx, p.logger, "look for stale documents", func() { p.stale.run(ctx) })
	})
	p.running.Go(func() {
		panics.Restart(ctx, p.logger, "index the project", func() {
			p.index.Lead(ctx, p.Tenant, p.keepIndexed, func(reason error) { p.setLeading(false, reason) })
		})
	})
}

// startOnce indexes the text of the files that have changed, as long as a call may wait for
// that, beside a server that may lead the tenant.
func (p *Project) startOnce(ctx context.Context) {
	stale, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	p.running.Go(func() { p.stale.run(stale) })
	limited, end := context.WithTimeout(ctx, SyncWait)
	defer end()
	status := Status{Synced: time.Now(), Failed: []Failed{}}
	failures, err := p.syncOnce(limited, func(done, total int) { status.Done, status.Total = done, total })
	for _, failed := range failures {
		status = status.plusFailed(failed, status.Synced)
	}
	if err != nil {
		status.Waiting = apierror.AsError(err).Error()
	}
	if limited.Err() != nil && ctx.Err() == nil {
		status.Waiting = "there is more to index than " + SyncWait.String() + " allow; `compound-docs sync` goes on"
	}
	status = p.counted(ctx, status)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.once = &status
}

func (p *Project) stop() {
	p.cancel()
	p.running.Wait()
}

// keepIndexed mirrors every folder, and embeds what has no vector, until ctx ends.
func (p *Project) keepIndexed(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	var mirrors sync.WaitGroup
	defer mirrors.Wait()
	defer cancel()
	for _, tree := range p.trees {
		tree.mirror.Reset()
		mirrors.Go(func() {
			panics.Restart(ctx, p.logger, "follow "+tree.folder.Dir, func() { tree.mirror.Run(ctx) })
		})
	}
	p.setLeading(true, nil)
	defer p.setLeading(false, nil)
	p.giveWay(ctx)
	mirrors.Go(func() {
		panics.Restart(ctx, p.logger, "embed", func() { p.queue.Run(ctx) })
	})
	mirrors.Go(func() {
		panics.Restart(ctx, p.logger, "remove unused text", func() { p.sweeper.Run(ctx) })
	})
	mirrors.Go(func() {
		panics.Restart(ctx, p.logger, "publish the status", func() { p.publish(ctx) })
	})
	if err := p.dropFormerExternal(ctx); err != nil && ctx.Err() == nil {
		p.logger.WarnContext(ctx, "drop external docs that are no longer configured", "error", err)
	}
	mirrors.Wait()
}

// dropFormerExternal removes the external docs of an earlier config if the present
// one has none. If it names another folder, that folder's mirror removes them.
func (p *Project) dropFormerExternal(ctx context.Context) error {
	if _, configured := p.Definition.External(); configured {
		return nil
	}
	indexer := p.index.Indexer(p.Tenant, catalog.External, nil)
	known, err := indexer.Known(ctx)
	if err != nil {
		return err
	}
	return indexer.Remove(ctx, slices.Collect(maps.Keys(known)))
}

// rescan queues a walk of every folder.
func (p *Project) rescan() {
	for _, tree := range p.trees {
		tree.mirror.Rescan()
	}
}

func (p *Project) setLeading(leading bool, reason error) {
	p.mu.Lock()
	changed := p.leading != leading || !p.decided
	p.decided, p.leading, p.notLeading = true, leading, reason
	p.mu.Unlock()
	if changed {
		p.notify()
	}
	if reason != nil {
		p.logger.Debug("this server cannot index", "error", reason)
	}
}

// problem returns what is wrong with the config since the activation, nil if it is valid.
func (p *Project) problem() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.configProblem
}

func (p *Project) setProblem(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.configProblem = err
}

// deleted reports whether the tenant was last seen to be gone from the index.
func (p *Project) deleted() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return errors.Is(p.notLeading, db.ErrTenantGone)
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

// Paths returns up to limit paths of the project's documents that contain the text; see
// [index.Index.Paths].
func (p *Project) Paths(ctx context.Context, part string, limit int) (paths []string, total int, err error) {
	return p.index.Paths(ctx, p.Tenant, part, limit)
}
