package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/watch"
)

// embedBatch is how many texts a request holds, as rag/ollama sends them.
const embedBatch = 32

// embedBound compares the first activation of a project on a running server, real
// Ollama making the vectors, with nothing but the requests for the same vectors,
// one after another: Ollama embeds one text at a time anyway.
func embedBound(ctx context.Context, b *bench) (ratio float64, note string) {
	documents, rounds := b.size(64, 256), b.size(3, 5)
	client := api.NewClient(get(url.Parse(b.ollamaHost)), http.DefaultClient)
	d := b.newDatabase(ctx)
	s := b.startServer(ctx, d.url, b.ollamaHost)
	b.say("sync.embedbound: %d documents", documents)
	var texts []string // that were embedded for a project
	activate := func(ctx context.Context, round int) time.Duration {
		// A project of another name has no passage in common with the others.
		repo := b.newRepository(fmt.Sprintf("embedbound-%d", round), documents, 1, 2)
		began := time.Now()
		s.activate(ctx, repo, "main")
		took := time.Since(began)
		if texts == nil {
			texts = d.texts(ctx, `
				SELECT heading || E'\n\n' || content FROM passages
				WHERE project_id = (SELECT max(project_id) FROM passages) ORDER BY hash`)
			if len(texts) < documents {
				check(fmt.Errorf("%d documents have %d passages", documents, len(texts)))
			}
		}
		return took
	}
	embed := func(ctx context.Context, _ int) {
		for batch := range slices.Chunk(texts, embedBatch) {
			answer := get(client.Embed(ctx, &api.EmbedRequest{Model: "mxbai-embed-large", Input: batch}))
			if len(answer.Embeddings) != len(batch) {
				check(fmt.Errorf("%d vectors for %d texts", len(answer.Embeddings), len(batch)))
			}
		}
	}
	// The first round loads the model.
	return compare(ctx, 1, rounds, activate, whole(embed), "%d documents, %s models; ", documents, b.ollamaModels)
}

// bulk compares the first sync of a project, text and vectors, its vectors made in
// this process, with COPY of the same rows into the same tables with the same indexes.
// What is above 1 is reading the files, parsing, and what it takes to be there whole or
// not at all.
func bulk(ctx context.Context, b *bench) (ratio float64, note string) {
	documents := b.size(1000, 5000)
	repo := b.newRepository("bulk", documents, 1, 1)
	models := &embedder{space: newSpace(500, 1)}
	b.say("sync.bulk: %d documents", documents)
	var rows []table
	var text time.Duration
	sync := b.onNewDatabase(func(ctx context.Context, b *bench, d *database) time.Duration {
		began := time.Now()
		x := index.New(d.Database, models, b.logger)
		tenant := syncText(ctx, x, repo, "main")
		text = time.Since(began)
		check(x.Queue(tenant, catalog.Compounding).Drain(ctx, nil))
		took := time.Since(began)
		if rows == nil {
			rows = append(readTables(ctx, d, textTables), readTables(ctx, d, []string{"embeddings"})...)
		}
		return took
	})
	ratio, note = compare(ctx, 0, b.size(1, 3), sync, b.copying(&rows), "%d documents, vectors made in process; ", documents)
	return ratio, note + fmt.Sprintf("; of the last the text took %.0f ms", ms(text))
}

// citations compares the first sync of a project's text, three places of the repository
// cited in each document, with that of the same documents without them.
func citations(ctx context.Context, b *bench) (ratio float64, note string) {
	documents := b.size(2000, 10_000)
	plain, citing := b.newRepository("plain", documents, 1, 1), b.newRepository("citing", documents, 1, 1)
	for i := range documents {
		cited := fmt.Sprintf("`src/pool%d.go:40`, src/queue%d.go:12-30 and `src/job%d.go:7`", i, i, i)
		writeFile(citing.path(i), fmt.Sprintf("%s\nSee %s.\n", document(newRandom(1, i), i, 1), cited))
	}
	b.say("sync.citations: %d documents", documents)
	sync := func(repo *repository) timed {
		return b.onNewDatabase(func(ctx context.Context, b *bench, d *database) time.Duration {
			began := time.Now()
			syncText(ctx, index.New(d.Database, &embedder{space: newSpace(1, 1)}, b.logger), repo, "main")
			return time.Since(began)
		})
	}
	return compare(ctx, 1, 3, sync(citing), sync(plain), "%d documents with %d citations; ", documents, 3*documents)
}

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

// textFirst compares the first activation of a project on a running server, until its
// documents are found by their words, with COPY of the same rows. Meanwhile Ollama
// takes its time.
func textFirst(ctx context.Context, b *bench) (ratio float64, note string) {
	documents := b.size(1000, 5000)
	repo := b.newRepository("text", documents, 1, 9)
	fake := b.startFake(slowEmbedding)
	b.say("sync.text: %d documents", documents)
	var rows []table
	sync := b.onNewDatabase(func(ctx context.Context, b *bench, d *database) time.Duration {
		s := b.startServer(ctx, d.url, fake.URL())
		began := time.Now()
		s.activateText(ctx, repo, "main")
		took := time.Since(began)
		if rows == nil {
			s.findEach(ctx, repo)
			check(s.Close())
			rows = readTables(ctx, d, textTables)
		}
		return took
	})
	return compare(ctx, 0, b.size(1, 3), sync, b.copying(&rows),
		"%d documents, over stdio, %v of Ollama a passage; each is then found by a word of its own; ", documents, slowEmbedding)
}

// slowEmbedding is the time that a passage takes on a laptop, or more.
const slowEmbedding = 100 * time.Millisecond

// firstSearch compares searches during the first activation of a project with the
// same once it is done. No query is asked twice.
func firstSearch(ctx context.Context, b *bench) (ratio float64, note string) {
	documents, lasting := b.size(1000, 5000), time.Duration(b.size(20, 60))*time.Second
	repo := b.newRepository("first", documents, 1, corpusSeed)
	fake := b.startFake(slowEmbedding)
	d := b.newDatabase(ctx)
	s := b.startServer(ctx, d.url, fake.URL())
	b.say("sync.firstsearch: %d documents", documents)
	var ended atomic.Int64 // when all text was there, in ns
	activating := make(chan error, 1)
	began := time.Now()
	go func() {
		activating <- attempt(func() { s.activateText(ctx, repo, "main") })
		ended.Store(int64(time.Since(began)))
	}()
	// What comes before the project is active waits for its text, for a limited time.
	for len(d.texts(ctx, "SELECT title FROM documents LIMIT 1")) == 0 {
		time.Sleep(10 * time.Millisecond) // between two looks
	}
	var all, duringText []time.Duration
	for i := 0; time.Since(began) < lasting; i++ {
		text := ended.Load() == 0
		if took, active := s.searchIfActive(ctx, query(i)); active {
			all = append(all, took)
			if text {
				duringText = append(duringText, took)
			}
		}
		time.Sleep(searchPause)
	}
	check(<-activating)
	fake.SetFaults(fakeollama.Faults{})
	s.activate(ctx, repo, "main")
	fake.SetFaults(fakeollama.Faults{EmbedTime: slowEmbedding})
	var idle []time.Duration
	for i := range all {
		took, _ := s.searchIfActive(ctx, query(corpusDocuments+i))
		idle = append(idle, took)
	}
	busy := percentile(all, 95)
	return float64(busy) / float64(percentile(idle, 95)), fmt.Sprintf(
		"%d documents, over stdio, %v of Ollama a text; p95 %.0f ms (p50 %.0f) of %d searches, %.0f (p50 %.0f) of the %d while text "+
			"came in, which took %.1f s; idle p95 %.0f (p50 %.0f)",
		documents, slowEmbedding, ms(busy), ms(median(all)), len(all), ms(percentile(duringText, 95)), ms(median(duringText)),
		len(duringText), time.Duration(ended.Load()).Seconds(), ms(percentile(idle, 95)), ms(median(idle)))
}

// searchPause is between two searches of one client.
const searchPause = 200 * time.Millisecond

// syncOnce makes the index hold the repository as a first activation does.
func syncOnce(ctx context.Context, x *index.Index, repo *repository, branch string) {
	tenant := syncText(ctx, x, repo, branch)
	check(x.Queue(tenant, catalog.Compounding).Drain(ctx, nil))
}

// syncText is the first half of that.
func syncText(ctx context.Context, x *index.Index, repo *repository, branch string) *catalog.Tenant {
	loaded, tenant := openTenant(ctx, x, repo, branch)
	synced := get(watch.Sync(ctx, repo.folder(loaded), x.Indexer(tenant, catalog.Compounding, loaded), nil))
	if synced.Added != repo.documents {
		check(fmt.Errorf("sync %s: %+v, want %d documents", repo.root, synced, repo.documents))
	}
	return tenant
}

// folder is that of the documents.
func (r *repository) folder(loaded *project.Project) watch.Folder {
	return watch.Folder{
		Dir: r.docs(), Inside: loaded.Root, Prefix: loaded.DocsDir(),
		Match: func(name string) bool { return strings.EqualFold(path.Ext(name), ".md") },
	}
}

func openTenant(ctx context.Context, x *index.Index, repo *repository, branch string) (*project.Project, *catalog.Tenant) {
	loaded := get(project.Load(repo.config()))
	key := catalog.TenantKey{Project: loaded.Config.ProjectName, Branch: branch, PathHash: project.PathHash(loaded.Root)}
	return loaded, get(x.Tenant(ctx, key, loaded.Root))
}
