package soak_test

import (
	"context"
	_ "embed"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/test/indexstate"
	"github.com/compound-docs/compound-docs/test/mcpclient"
)

//go:embed half_written.sql
var queryHalfWritten string

// reader looks for half-written documents until it is stopped.
type reader struct {
	looks, seen int64 // valid once it is stopped
	stop        func()
}

// startReader has t fail when a document is not whole at any instant.
func startReader(t *testing.T, pool *pgxpool.Pool) *reader {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := &reader{}
	var running sync.WaitGroup
	r.stop = func() {
		cancel()
		running.Wait()
	}
	t.Cleanup(r.stop)
	running.Go(func() {
		for ctx.Err() == nil {
			var documents int64
			broken, err := indexstate.Lines(ctx, pool, queryHalfWritten)
			if err == nil {
				err = pool.QueryRow(ctx, "SELECT count(*) FROM documents").Scan(&documents)
			}
			if ctx.Err() == nil && (err != nil || len(broken) > 0) {
				t.Errorf("half-written: %q; %v", broken, err)
				return
			}
			r.looks++
			r.seen += documents
			time.Sleep(20 * time.Millisecond) // leaves the database to the servers
		}
	})
	return r
}

// freshIndex indexes the files as they are from nothing, into the reference database,
// and returns what an index of them has to be.
func freshIndex(t *testing.T, in mcpclient.Installation, reference *pgxpool.Pool, branch string) []string {
	t.Helper()
	in.DatabaseURL = reference.Config().ConnString()
	if out, err := in.Command("sync", "--force", "--project", in.Root).CombinedOutput(); err != nil {
		t.Fatalf("sync --force: %v\n%s", err, out)
	}
	documents, err := indexstate.Documents(t.Context(), reference, branch)
	if err != nil {
		t.Fatal(err)
	}
	return documents
}
