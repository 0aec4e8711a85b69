package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// corpusDocuments is how many documents, of one passage each, the project has
// that several measurements share.
const corpusDocuments = 10_000

// corpus is that project, with a running server that has synced it.
type corpus struct {
	repo     *repository
	database *database
	// fake makes the vectors: they cost little, and nothing of their quality is
	// measured here.
	fake   *fakeollama.Server
	server *server
}

// openCorpus makes the corpus, once.
func (e *environment) openCorpus(ctx context.Context) (c *corpus, err error) {
	if e.corpus != nil {
		return e.corpus, nil
	}
	e.say("corpus: %d documents", corpusDocuments)
	repo, err := e.newRepository("corpus", corpusDocuments, 1, 4)
	if err != nil {
		return nil, err
	}
	d, err := e.newDatabase(ctx)
	if err != nil {
		return nil, err
	}
	c = &corpus{repo: repo, database: d, fake: fakeollama.New()}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.close(ctx))
		}
	}()
	if c.server, err = e.startServer(ctx, d.url, c.fake.URL()); err != nil {
		return nil, err
	}
	if err := d.withoutHNSW(ctx, func() error { return c.server.activate(ctx, repo, "main") }); err != nil {
		return nil, err
	}
	var passages int
	if err := d.scan(ctx, "SELECT count(*) FROM passages", &passages); err != nil {
		return nil, err
	}
	// A few hold more tokens than the others and are cut in two.
	if passages < corpusDocuments || passages > corpusDocuments+corpusDocuments/50 {
		return nil, fmt.Errorf("%d documents have %d passages, want one each", corpusDocuments, passages)
	}
	e.corpus = c
	e.say("corpus: synced")
	return c, nil
}

func (c *corpus) close(ctx context.Context) (err error) {
	if c.server != nil && c.server.Client != nil {
		err = c.server.Close()
	}
	c.fake.Close()
	return errors.Join(err, c.database.drop(ctx))
}

// query is one of any number of different ones.
func query(i int) string { return sentence(newRandom(5, i), 5) }

// memory is what the server holds on to after it has synced the corpus and
// answered searches.
func memory(ctx context.Context, e *environment) (result, error) {
	const searches = 1000
	c, err := e.openCorpus(ctx)
	if err != nil {
		return result{}, err
	}
	for i := range searches {
		if err := c.server.search(ctx, query(i)); err != nil {
			return result{}, err
		}
	}
	now, err := mebibytes(c.server.PID(), "VmRSS")
	if err != nil {
		return result{}, err
	}
	most, err := mebibytes(c.server.PID(), "VmHWM")
	return result{now, fmt.Sprintf("after a sync of %d documents and %d searches; %.1f MiB at the most",
		corpusDocuments, searches, most)}, err
}

// branchEmbeddings counts what Ollama is asked to embed when the corpus is
// activated on another branch.
func branchEmbeddings(ctx context.Context, e *environment) (result, error) {
	c, err := e.openCorpus(ctx)
	if err != nil {
		return result{}, err
	}
	c.fake.Forget()
	if err := c.server.activate(ctx, c.repo, "second"); err != nil {
		return result{}, err
	}
	texts := len(c.fake.Texts())
	// The branch before it is the active one again, for who comes next.
	return result{float64(texts), fmt.Sprintf("a second branch of %d documents", corpusDocuments)},
		c.server.activate(ctx, c.repo, "main")
}

// unchanged compares the activation of a project that has not changed, on a server
// that had another project active, with the least that finding this out takes: to
// look at every file, and to ask the database what it knows of them.
func unchanged(ctx context.Context, e *environment) (result, error) {
	c, err := e.openCorpus(ctx)
	if err != nil {
		return result{}, err
	}
	other, err := e.newRepository("other", 1, 1, 6)
	if err != nil {
		return result{}, err
	}
	tenant := db.DocumentStampsParams{Collection: db.CollectionCompounding}
	if err := c.database.scan(ctx, `
		SELECT t.project_id, t.id FROM tenants t JOIN projects p ON p.id = t.project_id
		WHERE p.name = 'corpus' AND t.branch_name = 'main'`, &tenant.ProjectID, &tenant.TenantID); err != nil {
		return result{}, err
	}
	// Nothing changes from here on, so both have the same to do each time.
	activate := func(ctx context.Context, _ int) (time.Duration, error) {
		if err := c.server.activate(ctx, other, "main"); err != nil {
			return 0, err
		}
		began := time.Now()
		err := c.server.activate(ctx, c.repo, "main")
		return time.Since(began), err
	}
	look := func(ctx context.Context, _ int) error {
		var known []db.DocumentStampsRow
		if err := c.database.Read(ctx, "read stamps", func(q *db.Queries) (err error) {
			known, err = q.DocumentStamps(ctx, tenant)
			return err
		}); err != nil {
			return err
		}
		files := 0
		err := filepath.WalkDir(c.repo.docs(), func(_ string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			files++
			_, err = d.Info()
			return err
		})
		if err == nil && len(known) != files {
			err = fmt.Errorf("%d files, of which %d are known", files, len(known))
		}
		return err
	}
	return compare(ctx, 1, e.size(7, 25), activate, whole(look), "%d files; ", corpusDocuments)
}
