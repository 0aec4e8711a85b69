package main

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/compound-docs/compound-docs/db"
)

// unchanged compares two times. One is the activation of an unchanged project on a server that had
// another project active. The other is the least work that can find this out: look at every file,
// and ask the database for its records of them.
func unchanged(ctx context.Context, b *bench) (ratio float64, note string) {
	const documents = 10_000
	repo, other := b.newRepository("corpus", documents, 4), b.newRepository("other", 1, 6)
	database := b.newDatabase(ctx)
	server := b.startServer(ctx, database.url, b.startFake(0).URL())
	database.withoutHNSW(ctx, func() { server.activate(ctx, repo) })
	tenant := db.DocumentStampsParams{Collection: db.CollectionCompounding}
	tenant.ProjectID, tenant.TenantID = database.tenant(ctx, "corpus", "main")
	// Nothing changes from here on, so both have the same to do each time.
	activate := func(ctx context.Context, _ int) time.Duration {
		server.activate(ctx, other)
		began := time.Now()
		server.activate(ctx, repo)
		return time.Since(began)
	}
	look := func(ctx context.Context, _ int) {
		var known []db.DocumentStampsRow
		check(database.Read(ctx, "read stamps", func(q *db.Queries) (err error) {
			known, err = q.DocumentStamps(ctx, tenant)
			return err
		}))
		files := 0
		check(filepath.WalkDir(repo.docs(), func(_ string, d fs.DirEntry, err error) error {
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
	return compare(ctx, 1, b.size(7, 25), activate, whole(look), "%d files; ", documents)
}
