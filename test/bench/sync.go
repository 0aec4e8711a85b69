package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/ollama/ollama/api"
	"golang.org/x/sync/errgroup"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/index"
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
	return compare(ctx, 1, rounds, activate, whole(embed), "%d passages, %s models; ", documents, b.ollamaModels)
}

// bulk compares the first sync of a project, its vectors made in this process,
// with COPY of the same rows into the same tables with the same indexes. What is
// above 1 is reading the files, parsing, and what it takes to be there whole or not
// at all.
func bulk(ctx context.Context, b *bench) (ratio float64, note string) {
	documents := b.size(1000, 5000)
	repo := b.newRepository("bulk", documents, 1, 1)
	models := &embedder{space: newSpace(500, 1)}
	b.say("sync.bulk: %d documents", documents)
	// into times what is done with an empty database; then is not in the time.
	into := func(do, then func(ctx context.Context, d *database)) timed {
		return func(ctx context.Context, _ int) (took time.Duration) {
			check(b.within(func(b *bench) {
				d := b.newDatabase(ctx)
				began := time.Now()
				do(ctx, d)
				took = time.Since(began)
				then(ctx, d)
			}))
			return took
		}
	}
	var rows []table
	sync := into(func(ctx context.Context, d *database) {
		syncOnce(ctx, index.New(d.Database, models, b.logger), repo, "main")
	}, func(ctx context.Context, d *database) {
		if rows == nil {
			rows = readTables(ctx, d)
		}
	})
	load := into(func(ctx context.Context, d *database) { copyTables(ctx, d, rows) }, func(context.Context, *database) {})
	return compare(ctx, 0, b.size(1, 3), sync, load, "%d documents of one passage, vectors made in process; ", documents)
}

// syncOnce makes the index hold the repository as a first activation does.
func syncOnce(ctx context.Context, x *index.Index, repo *repository, branch string) {
	loaded, tenant := openTenant(ctx, x, repo, branch)
	folder := watch.Folder{
		Dir: filepath.Join(loaded.Root, loaded.DocsDir()), Inside: loaded.Root, Prefix: loaded.DocsDir(),
		Match: func(name string) bool { return strings.EqualFold(path.Ext(name), ".md") },
	}
	synced := get(watch.Sync(ctx, folder, x.Indexer(tenant, rag.Compounding, loaded), nil))
	if synced.Added != repo.documents {
		check(fmt.Errorf("sync %s: %+v, want %d documents", repo.root, synced, repo.documents))
	}
}

func openTenant(ctx context.Context, x *index.Index, repo *repository, branch string) (*project.Project, *rag.Tenant) {
	loaded := get(project.Load(repo.config()))
	key := rag.TenantKey{Project: loaded.Config.ProjectName, Branch: branch, PathHash: project.PathHash(loaded.Root)}
	return loaded, get(x.Tenant(ctx, key, loaded.Root))
}

// table is what one table holds.
type table struct {
	name    string
	columns []string
	rows    [][]any
}

// readTables reads all rows of the index, in an order in which they can be written.
func readTables(ctx context.Context, from *database) (tables []table) {
	for _, name := range []string{
		"embedding_models", "projects", "tenants", "documents", "document_links", "document_chunks", "passages",
	} {
		t := table{name: name}
		rows := get(from.pool.Query(ctx, "SELECT * FROM "+name)) //nolint:unqueryvet // whatever the table has
		for _, column := range rows.FieldDescriptions() {
			t.columns = append(t.columns, column.Name)
		}
		t.rows = get(pgx.CollectRows(rows, func(row pgx.CollectableRow) ([]any, error) { return row.Values() }))
		tables = append(tables, t)
	}
	return tables
}

// copyTables writes each table over as many connections as there are processors.
func copyTables(ctx context.Context, into *database, tables []table) {
	for _, t := range tables {
		group, ctx := errgroup.WithContext(ctx)
		for rows := range slices.Chunk(t.rows, len(t.rows)/runtime.NumCPU()+1) {
			group.Go(func() error {
				_, err := into.pool.CopyFrom(ctx, pgx.Identifier{t.name}, t.columns, pgx.CopyFromRows(rows))
				return err
			})
		}
		check(group.Wait())
	}
}
