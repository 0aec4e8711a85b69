package index

import (
	"context"
	"sync"

	"github.com/compound-docs/compound-docs/rag/catalog"

	"github.com/compound-docs/compound-docs/db"
)

// analyzeFrom is the number of new rows from which ANALYZE is run. Without statistics
// PostgreSQL takes a tenant for empty, and plans searches that read all of it for
// every passage. Autovacuum runs a minute later, and never for a small tenant among
// many.
const analyzeFrom = 1000

// growth counts the rows that were added to tables since their statistics were
// renewed. The zero value is of tables that are not empty. Safe for concurrent use.
type growth struct {
	mu             sync.Mutex
	empty          bool
	rows, analyzed int
}

// begin starts to count, in tables that have no row of the tenant, or some.
func (g *growth) begin(empty bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.empty, g.rows, g.analyzed = empty, 0, 0
}

// add counts rows, and reports whether the statistics should be renewed: there are
// four times as many rows as at the last time. Tables that were not empty are left to
// autovacuum.
func (g *growth) add(rows int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.rows += rows
	if !g.empty || g.rows < max(analyzeFrom, 4*g.analyzed) {
		return false
	}
	g.analyzed = g.rows
	return true
}

// analyze lets the database plan by what it holds now. Without it searches are slow,
// but right.
func (x *Index) analyze(ctx context.Context, collection catalog.Collection, tables db.Tables) {
	if err := x.db.Analyze(ctx, collection, tables); err != nil && ctx.Err() == nil {
		x.logger.WarnContext(ctx, "searches may be slow for a while", "error", err)
	}
}
