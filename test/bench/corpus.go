package main

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// corpusDocuments is how many documents, of one passage beside their front matter, the
// project has that several measurements share.
const corpusDocuments = 10_000

// corpusSeed makes them.
const corpusSeed = 4

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
func (e *environment) openCorpus(ctx context.Context) *corpus {
	if e.corpus != nil {
		return e.corpus
	}
	e.say("corpus: %d documents", corpusDocuments)
	c := &corpus{
		repo: e.newRepository("corpus", corpusDocuments, corpusSeed), database: e.whole.newDatabase(ctx), fake: e.whole.startFake(0),
	}
	c.server = e.whole.startServer(ctx, c.database.url, c.fake.URL())
	c.database.withoutHNSW(ctx, func() { c.server.activate(ctx, c.repo) })
	var passages int
	c.database.scan(ctx, "SELECT count(*) FROM passages", &passages)
	// A few hold more tokens than the others and are cut in two.
	if passages < 2*corpusDocuments || passages > 2*corpusDocuments+corpusDocuments/50 {
		check(fmt.Errorf("%d documents have %d passages, want one each and one of their front matter", corpusDocuments, passages))
	}
	e.corpus = c
	e.say("corpus: synced")
	return c
}

// query is one of any number of different ones: words of a document of the corpus, as
// long as that is as it was made.
func query(i int) string {
	text := document(newRandom(corpusSeed, i%corpusDocuments), i%corpusDocuments, 1)
	return someWords(newRandom(5, i), text[strings.LastIndex(text, "---")+3:])
}

// unchanged compares two times. One is the activation of an unchanged project on a server that had
// another project active. The other is the least work that can find this out: look at every file,
// and ask the database for its records of them.
func unchanged(ctx context.Context, b *bench) (ratio float64, note string) {
	c := b.openCorpus(ctx)
	other := b.newRepository("other", 1, 6)
	tenant := db.DocumentStampsParams{Collection: db.CollectionCompounding}
	tenant.ProjectID, tenant.TenantID = c.database.tenant(ctx, "corpus", "main")
	// Nothing changes from here on, so both have the same to do each time.
	activate := func(ctx context.Context, _ int) time.Duration {
		c.server.activate(ctx, other)
		began := time.Now()
		c.server.activate(ctx, c.repo)
		return time.Since(began)
	}
	look := func(ctx context.Context, _ int) {
		var known []db.DocumentStampsRow
		check(c.database.Read(ctx, "read stamps", func(q *db.Queries) (err error) {
			known, err = q.DocumentStamps(ctx, tenant)
			return err
		}))
		files := 0
		check(filepath.WalkDir(c.repo.docs(), func(_ string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			files++
			_, err = d.Info()
			return err
		}))
		if len(known) != files {
			check(fmt.Errorf("%d files, of which %d are known", files, len(known)))
		}
	}
	return compare(ctx, 1, b.size(7, 25), activate, whole(look), "%d files; ", corpusDocuments)
}
