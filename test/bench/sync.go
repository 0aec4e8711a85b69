package main

import (
	"context"
	"fmt"
	"time"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/watch"
)

// onNewDatabase times what is done with an empty database, as that says itself.
func (b *bench) onNewDatabase(do func(ctx context.Context, b *bench, d *database) time.Duration) timed {
	return func(ctx context.Context, _ int) (took time.Duration) {
		check(b.within(func(b *bench) { took = do(ctx, b, b.newDatabase(ctx)) }))
		return took
	}
}

// copying times COPY of rows that are known when it is called.
func (b *bench) copying(rows *[]table) timed {
	return b.onNewDatabase(func(ctx context.Context, _ *bench, d *database) time.Duration {
		began := time.Now()
		copyTables(ctx, d, *rows)
		return time.Since(began)
	})
}

// textFirst compares the first activation of a project on a running server, until its documents are
// found by their words, with COPY of the same rows. Ollama works at the same time.
func textFirst(ctx context.Context, b *bench) (ratio float64, note string) {
	documents := b.size(1000, 5000)
	repo := b.newRepository("text", documents, 9)
	fake := b.startFake(slowEmbedding)
	b.say("sync.text: %d documents", documents)
	var rows []table
	sync := b.onNewDatabase(func(ctx context.Context, b *bench, d *database) time.Duration {
		s := b.startServer(ctx, d.url, fake.URL())
		began := time.Now()
		s.activateText(ctx, repo)
		took := time.Since(began)
		if rows == nil {
			s.findEach(ctx, repo)
			check(s.Close())
			rows = readTables(ctx, d, textTables)
		}
		return took
	})
	return compare(ctx, 0, b.size(1, 3), sync, b.copying(&rows),
		"%d documents, over stdio, %v of Ollama a passage; ", documents, slowEmbedding)
}

// syncMemory returns the most memory that a server takes while it puts a large project into the index, in MiB.
func syncMemory(ctx context.Context, b *bench) (most float64, note string) {
	repo := b.newRepository("memory", b.size(10_000, 100_000), 9)
	fake := b.startFake(slowEmbedding)
	url := b.newDatabase(ctx).url
	var peaks []float64
	for range 2 { // the second server finds the index up to date
		check(b.within(func(b *bench) {
			s := b.startServer(ctx, url, fake.URL())
			s.activateText(ctx, repo)
			s.search(ctx, ownWord(0))
			peaks = append(peaks, get(mebibytes(fmt.Sprintf("/proc/%d/status", s.Process().Pid), "VmHWM")))
		}))
	}
	return peaks[0], fmt.Sprintf("%d documents, over stdio; after a restart %s MiB", repo.documents, number(peaks[1]))
}

// slowEmbedding is the time that a passage takes on a laptop, or more.
const slowEmbedding = 100 * time.Millisecond

// syncOnce makes the index hold the repository as a first activation does.
func syncOnce(ctx context.Context, x *index.Index, repo *repository, branch string) *catalog.Tenant {
	loaded, tenant := openTenant(ctx, x, repo, branch)
	ready, report := func() error { return nil }, func(int, int) {}
	synced := get(watch.Sync(ctx, repo.folder(loaded), x.Indexer(tenant, catalog.Compounding, loaded), ready, report))
	if synced.Added != repo.documents {
		check(fmt.Errorf("sync %s: %+v, want %d documents", repo.root, synced, repo.documents))
	}
	check(x.Queue(tenant, catalog.Compounding).Drain(ctx, nil))
	return tenant
}

// folder is that of the documents.
func (r *repository) folder(loaded *project.Project) watch.Folder {
	return watch.Folder{
		Dir: r.docs(), Inside: loaded.Root, Prefix: loaded.DocsDir(),
		Match: loaded.IsDocument, Prune: loaded.PruneDocuments, Excluded: loaded.Excluded,
	}
}

func openTenant(ctx context.Context, x *index.Index, repo *repository, branch string) (*project.Project, *catalog.Tenant) {
	loaded := get(project.Load(repo.config()))
	key := catalog.TenantKey{Project: loaded.Config.ProjectName, Branch: branch, PathHash: project.PathHash(loaded.Root)}
	return loaded, get(x.Tenant(ctx, key, loaded.Root))
}
