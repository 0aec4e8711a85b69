package index

import (
	"context"
	"sync/atomic"
)

// analyzeFrom is the number of new rows after which ANALYZE runs. Without statistics PostgreSQL plans as if a new
// tenant had no rows, and searches read all rows of the tenant once for each passage. Autovacuum runs ANALYZE a minute
// later. For one small tenant among many, autovacuum never runs it.
const analyzeFrom = 1000

// growth counts the rows that this process has added to tables. Safe for concurrent use.
type growth struct{ rows atomic.Int64 }

// add counts more rows, and reports whether ANALYZE is due: when the count reaches analyzeFrom, and again each time
// the count is four times as high.
func (g *growth) add(rows int) bool {
	after := g.rows.Add(int64(rows))
	limit := int64(analyzeFrom)
	for 4*limit <= after {
		limit *= 4
	}
	return limit <= after && after-int64(rows) < limit
}

// reportAnalysis logs that ANALYZE failed. Searches may then be slow, but their results are the right ones.
func (x *Index) reportAnalysis(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		x.logger.WarnContext(ctx, "searches may be slow for a while", "error", err)
	}
}
