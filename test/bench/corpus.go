package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

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
func (e *environment) openCorpus(ctx context.Context) (_ *corpus, err error) {
	if e.corpus != nil {
		return e.corpus, nil
	}
	e.say("corpus: %d documents", corpusDocuments)
	c := &corpus{fake: fakeollama.New()}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.close(ctx))
		}
	}()
	if c.repo, err = e.newRepository("corpus", corpusDocuments, 1, 4); err != nil {
		return nil, err
	}
	if c.database, err = e.newDatabase(ctx); err != nil {
		return nil, err
	}
	if c.server, err = e.startServer(ctx, c.database.url, c.fake.URL()); err != nil {
		return nil, err
	}
	if err := c.database.withoutHNSW(ctx, func() error { return c.server.activate(ctx, c.repo, "main") }); err != nil {
		return nil, err
	}
	var passages int
	if err := c.database.scan(ctx, "SELECT count(*) FROM passages", &passages); err != nil {
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

func (c *corpus) close(ctx context.Context) error {
	var err error
	if c.server != nil {
		err = c.server.close()
	}
	c.fake.Close()
	if c.database != nil {
		err = errors.Join(err, c.database.drop(ctx))
	}
	return err
}

// memory is what the server holds on to after it has synced the corpus and
// answered searches.
func memory(ctx context.Context, e *environment) ([]Row, error) {
	const searches = 1000
	c, err := e.openCorpus(ctx)
	if err != nil {
		return nil, err
	}
	for i := range searches {
		if err := c.server.search(ctx, query(i)); err != nil {
			return nil, err
		}
	}
	resident, most, err := c.server.resident()
	if err != nil {
		return nil, err
	}
	return []Row{{
		Name: "memory.rss.mib", Value: resident, Unit: "MiB", Target: atMost(80),
		Note: fmt.Sprintf("after a sync of %d documents and %d searches; %.1f MiB at the most", corpusDocuments, searches, most),
	}}, nil
}

// resident returns the memory of the process now and at the most, in MiB.
func (s *server) resident() (now, most float64, err error) {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.command.Process.Pid))
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(content)) {
		var kib float64
		if _, err := fmt.Sscanf(line, "VmRSS: %f kB", &kib); err == nil {
			now = kib / 1024
		}
		if _, err := fmt.Sscanf(line, "VmHWM: %f kB", &kib); err == nil {
			most = kib / 1024
		}
	}
	return now, most, nil
}

// query is one of any number of different ones.
func query(i int) string {
	random := newRandom(5, i)
	return sentence(random, 5)
}
