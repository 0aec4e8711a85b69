package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/compound-docs/compound-docs/db"
)

// noop compares the activation of a project that has not changed, on a server
// that had another project active, with the least that finding this out takes: to
// look at every file, and to ask the database what it knows of them.
func noop(ctx context.Context, e *environment) (_ []Row, err error) {
	c, err := e.openCorpus(ctx)
	if err != nil {
		return nil, err
	}
	other, err := e.newRepository("other", 1, 1, 6)
	if err != nil {
		return nil, err
	}
	// Nothing changes from here on, so both have the same to do each time.
	tenant, err := c.tenant(ctx)
	if err != nil {
		return nil, err
	}
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
		err := c.database.Read(ctx, "read stamps", func(q *db.Queries) (err error) {
			known, err = q.DocumentStamps(ctx, tenant)
			return err
		})
		files := 0
		walkErr := filepath.WalkDir(c.repo.docs(), func(_ string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			files++
			_, err = d.Info()
			return err
		})
		if err = errors.Join(err, walkErr); err == nil && len(known) != files {
			err = fmt.Errorf("%d files, of which %d are known", files, len(known))
		}
		return err
	}
	compared, err := alternate(ctx, 1, e.size(7, 25), activate, whole(look))
	if err != nil {
		return nil, err
	}
	return []Row{{
		Name: "sync.noop.ratio", Value: compared.ratio(), Unit: "ratio", Target: atMost(3),
		Note: fmt.Sprintf("%d files; %v", corpusDocuments, compared),
	}}, nil
}

// tenant is what asks for the corpus's documents.
func (c *corpus) tenant(ctx context.Context) (db.DocumentStampsParams, error) {
	params := db.DocumentStampsParams{Collection: db.CollectionCompounding}
	err := c.database.scan(ctx, `
		SELECT t.project_id, t.id FROM tenants t JOIN projects p ON p.id = t.project_id
		WHERE p.name = 'corpus' AND t.branch_name = 'main'`, &params.ProjectID, &params.TenantID)
	return params, err
}
