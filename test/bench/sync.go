package main

import (
	"context"
	"errors"
	"fmt"
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
func embedBound(ctx context.Context, e *environment) (measured result, err error) {
	documents, rounds := e.size(64, 256), e.size(3, 5)
	client, err := ollamaClient(e.ollamaHost)
	if err != nil {
		return result{}, err
	}
	err = e.withDatabase(ctx, func(d *database) (err error) {
		s, err := e.startServer(ctx, d.url, e.ollamaHost)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		e.say("sync.embedbound: %d documents", documents)
		var texts []string
		activate := func(ctx context.Context, round int) (time.Duration, error) {
			// A project of another name has no passage in common with the others.
			repo, err := e.newRepository(fmt.Sprintf("embedbound-%d", round), documents, 1, 2)
			if err != nil {
				return 0, err
			}
			began := time.Now()
			if err := s.activate(ctx, repo, "main"); err != nil {
				return 0, err
			}
			took := time.Since(began)
			if texts == nil {
				texts, err = passageTexts(ctx, d, documents)
			}
			return took, err
		}
		embed := func(ctx context.Context, _ int) error {
			for batch := range slices.Chunk(texts, embedBatch) {
				answer, err := client.Embed(ctx, &api.EmbedRequest{Model: "mxbai-embed-large", Input: batch})
				if err != nil {
					return err
				}
				if len(answer.Embeddings) != len(batch) {
					return fmt.Errorf("%d vectors for %d texts", len(answer.Embeddings), len(batch))
				}
			}
			return nil
		}
		// The first round loads the model.
		measured, err = compare(ctx, 1, rounds, activate, whole(embed), "%d passages, %s models; ", documents, e.ollamaModels)
		return err
	})
	return measured, err
}

// passageTexts returns what was embedded for the latest project.
func passageTexts(ctx context.Context, d *database, documents int) ([]string, error) {
	rows, err := d.pool.Query(ctx, `
		SELECT heading || E'\n\n' || content FROM passages
		WHERE project_id = (SELECT max(project_id) FROM passages) ORDER BY hash`)
	if err != nil {
		return nil, err
	}
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err == nil && len(texts) < documents {
		err = fmt.Errorf("%d documents have %d passages", documents, len(texts))
	}
	return texts, err
}

// bulk compares the first sync of a project, its vectors made in this process,
// with COPY of the same rows into the same tables with the same indexes. What is
// above 1 is the walk, parsing, and what it takes to be there whole or not at all.
func bulk(ctx context.Context, e *environment) (result, error) {
	documents := e.size(1000, 5000)
	repo, err := e.newRepository("bulk", documents, 1, 1)
	if err != nil {
		return result{}, err
	}
	models := &embedder{space: newSpace(500, 1)}
	e.say("sync.bulk: %d documents", documents)
	// into times what is done with an empty database.
	into := func(do func(ctx context.Context, d *database) error, then func(d *database) error) timed {
		return func(ctx context.Context, _ int) (took time.Duration, err error) {
			err = e.withDatabase(ctx, func(d *database) error {
				began := time.Now()
				if err := do(ctx, d); err != nil {
					return err
				}
				took = time.Since(began)
				return then(d)
			})
			return took, err
		}
	}
	var rows []table
	sync := into(func(ctx context.Context, d *database) error {
		return syncOnce(ctx, e.index(d.Database, models), repo, "main")
	}, func(d *database) (err error) {
		if rows == nil {
			rows, err = readTables(ctx, d)
		}
		return err
	})
	load := into(func(ctx context.Context, d *database) error { return copyTables(ctx, d, rows) },
		func(*database) error { return nil })
	return compare(ctx, 0, e.size(1, 3), sync, load, "%d documents of one passage, vectors made in process; ", documents)
}

// syncOnce makes the index hold the repository as a first activation does.
func syncOnce(ctx context.Context, x *index.Index, repo *repository, branch string) error {
	loaded, tenant, err := openTenant(ctx, x, repo, branch)
	if err != nil {
		return err
	}
	folder := watch.Folder{
		Dir: filepath.Join(loaded.Root, loaded.DocsDir()), Inside: loaded.Root, Prefix: loaded.DocsDir(),
		Match: func(name string) bool { return strings.EqualFold(path.Ext(name), ".md") },
	}
	synced, err := watch.Sync(ctx, folder, x.Indexer(tenant, rag.Compounding, loaded), nil)
	if err == nil && synced.Added != repo.documents {
		err = fmt.Errorf("sync %s: %+v, want %d documents", repo.root, synced, repo.documents)
	}
	return err
}

func openTenant(
	ctx context.Context, x *index.Index, repo *repository, branch string,
) (*project.Project, *rag.Tenant, error) {
	loaded, err := project.Load(repo.config())
	if err != nil {
		return nil, nil, err
	}
	key := rag.TenantKey{Project: loaded.Config.ProjectName, Branch: branch, PathHash: project.PathHash(loaded.Root)}
	tenant, err := x.Tenant(ctx, key, loaded.Root)
	return loaded, tenant, err
}

// table is what one table holds.
type table struct {
	name    string
	columns []string
	rows    [][]any
}

// readTables reads all rows of the index, in an order in which they can be written.
func readTables(ctx context.Context, from *database) ([]table, error) {
	var tables []table
	for _, name := range []string{
		"embedding_models", "projects", "tenants", "documents", "document_links", "document_chunks", "passages",
	} {
		t := table{name: name}
		rows, err := from.pool.Query(ctx, "SELECT * FROM "+name) //nolint:unqueryvet // whatever the table has
		if err != nil {
			return nil, err
		}
		for _, column := range rows.FieldDescriptions() {
			t.columns = append(t.columns, column.Name)
		}
		t.rows, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) ([]any, error) { return row.Values() })
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// copyTables writes each table over as many connections as there are processors.
func copyTables(ctx context.Context, into *database, tables []table) error {
	for _, t := range tables {
		group, ctx := errgroup.WithContext(ctx)
		for rows := range slices.Chunk(t.rows, len(t.rows)/runtime.NumCPU()+1) {
			group.Go(func() error {
				_, err := into.pool.CopyFrom(ctx, pgx.Identifier{t.name}, t.columns, pgx.CopyFromRows(rows))
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return fmt.Errorf("copy %s: %w", t.name, err)
		}
	}
	return nil
}
