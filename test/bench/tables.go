package main

import (
	"bytes"
	"context"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// textTables are those of the index without the vectors, in an order in which they can
// be written.
var textTables = []string{
	"embedding_models", "projects", "tenants", "documents", "document_links", "document_chunks", "passages",
}

// table holds the rows of one table, in as many parts as there are processors, each in
// COPY's binary format.
type table struct {
	name  string
	parts [][]byte
}

func readTables(ctx context.Context, from *database, names []string) (tables []table) {
	conn := get(from.pool.Acquire(ctx))
	defer conn.Release()
	for _, name := range names {
		t := table{name: name}
		for part := range runtime.NumCPU() {
			var b bytes.Buffer
			// By the page that a row is on.
			get(conn.Conn().PgConn().CopyTo(ctx, &b, fmt.Sprintf( //nolint:unqueryvet // all columns
				"COPY (SELECT * FROM %s WHERE (ctid::text::point)[0]::int %% %d = %d) TO STDOUT (FORMAT binary)",
				name, runtime.NumCPU(), part)))
			t.parts = append(t.parts, b.Bytes())
		}
		tables = append(tables, t)
	}
	return tables
}

// copyTables writes each table over as many connections as it has parts.
func copyTables(ctx context.Context, into *database, tables []table) {
	for _, t := range tables {
		group, ctx := errgroup.WithContext(ctx)
		for _, part := range t.parts {
			group.Go(func() error {
				conn, err := into.pool.Acquire(ctx)
				if err != nil {
					return err
				}
				defer conn.Release()
				// As the server writes: foreign keys are not planned row by row.
				if _, err := conn.Exec(ctx, "SET plan_cache_mode = auto"); err != nil {
					return err
				}
				_, err = conn.Conn().PgConn().CopyFrom(ctx, bytes.NewReader(part), "COPY "+t.name+" FROM STDIN (FORMAT binary)")
				return err
			})
		}
		check(group.Wait())
	}
}
