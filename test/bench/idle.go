package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/rag/ollama"
)

// So many windows are open that nobody uses, on so many checkouts, and are looked at for so
// long, once they have been idle for two minutes.
const (
	idleWindows   = 100
	idleCheckouts = 20
	idleFor       = 2 * time.Minute
	idleLook      = time.Minute
)

// idleCost is what the windows cost the database.
type idleCost struct {
	statements  float64 // a second
	connections int     // at most, at a time
	note        string
}

// idle measures that once.
func (b *bench) idle(ctx context.Context) *idleCost {
	if b.whole.environment.idleCost != nil {
		return b.whole.environment.idleCost
	}
	d := b.newDatabase(ctx)
	statements, through := b.newCapture(d.url)
	models := get(ollama.New(ollama.Config{Host: b.startFake(0).URL(), Logger: b.logger}))
	b.atEnd(models.Close)
	repos := make([]*repository, idleCheckouts)
	for i := range repos {
		repos[i] = b.newRepository(fmt.Sprintf("idle-%d", i), teamDocuments, 1, uint64(corpusSeed+i))
	}
	for i := range idleWindows {
		b.newSession(ctx, through, models, repos[i%idleCheckouts])
	}
	b.say("idle: %d windows for %v", idleWindows, idleFor+idleLook)
	time.Sleep(idleFor)
	statements.taken()
	cost := &idleCost{}
	for began := time.Now(); time.Since(began) < idleLook; time.Sleep(50 * time.Millisecond) {
		var now int
		d.scan(ctx, `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND application_name LIKE 'compound-docs %'`, &now)
		cost.connections = max(cost.connections, now-int(d.pool.Stat().TotalConns()))
	}
	taken := statements.taken()
	cost.statements = float64(len(taken)) / idleLook.Seconds()
	by := map[string]int{}
	for _, s := range taken {
		by[subject(s.sql)]++
	}
	var each []string
	for _, name := range slices.Sorted(maps.Keys(by)) {
		each = append(each, fmt.Sprintf("%d %s", by[name], name))
	}
	var indexers int
	d.scan(ctx, "SELECT count(*) FROM tenants WHERE lease_until > now()", &indexers)
	if indexers != idleCheckouts {
		check(fmt.Errorf("%d checkouts have %d indexers", idleCheckouts, indexers))
	}
	cost.note = fmt.Sprintf("%d windows on %d checkouts, with one indexer each, after %v without a call, in %v: %s",
		idleWindows, idleCheckouts, idleFor, idleLook, strings.Join(each, ", "))
	b.whole.environment.idleCost = cost
	return cost
}

// idleStatements is how many statements the windows send in a second.
func idleStatements(ctx context.Context, b *bench) (count float64, note string) {
	cost := b.idle(ctx)
	return cost.statements, cost.note
}

// idleConnections is how many connections they have at a time.
func idleConnections(ctx context.Context, b *bench) (count float64, note string) {
	cost := b.idle(ctx)
	return float64(cost.connections), cost.note
}
