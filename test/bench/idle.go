package main

import (
	"context"
	"fmt"
	"time"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/answer"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// So many windows are open that nobody uses, on so many checkouts, and are looked at for so
// long, once they have been idle for two minutes.
const (
	idleWindows   = 100
	idleCheckouts = 20
	idleDocuments = 100
	idleFor       = 2 * time.Minute
	idleLook      = time.Minute
)

// idleStatements is how many statements the windows send in a second.
func idleStatements(ctx context.Context, b *bench) (aSecond float64, note string) {
	d := b.newDatabase(ctx)
	wire, through := b.newWire(d.url, 0)
	models := get(ollama.New(model.Config{Host: b.startFake(0).URL(), Logger: b.logger}))
	b.atEnd(models.Close)
	repos := make([]*repository, idleCheckouts)
	for i := range repos {
		repos[i] = b.newRepository(fmt.Sprintf("idle-%d", i), idleDocuments, uint64(corpusSeed+i))
	}
	for i := range idleWindows {
		b.openWindow(ctx, through, models, repos[i%idleCheckouts])
	}
	b.say("idle: %d windows for %v", idleWindows, idleFor+idleLook)
	time.Sleep(idleFor)
	wire.taken()
	time.Sleep(idleLook)
	by, statements := map[string]int{}, 0
	for _, t := range wire.taken() {
		for _, s := range t {
			by[s.name()]++
			statements++
		}
	}
	var indexers int
	d.scan(ctx, "SELECT count(*) FROM tenants WHERE lease_until > now()", &indexers)
	if indexers != idleCheckouts {
		check(fmt.Errorf("%d checkouts have %d indexers", idleCheckouts, indexers))
	}
	b.say("idle: %s", listed(by))
	return float64(statements) / idleLook.Seconds(), fmt.Sprintf(
		"%d windows on %d checkouts, after %v without a call, in %v", idleWindows, idleCheckouts, idleFor, idleLook)
}

// openWindow has what a server has without its process: a workspace with its own pool, in which
// the repository is active. It ends at the end.
func (b *bench) openWindow(ctx context.Context, databaseURL string, models *model.Client, repo *repository) {
	database := db.NewDatabase(databaseURL, b.logger)
	searcher := rag.NewSearcher(database, models)
	w := workspace.New(index.New(database, models, b.logger), searcher,
		answer.New(database, searcher, models, b.logger), project.DefaultSettings(), "", b.logger)
	b.atEnd(func() error {
		w.Close()
		database.Close()
		return nil
	})
	active := get(w.Activate(ctx, repo.config(), "main"))
	for !active.Status().Current() {
		time.Sleep(50 * time.Millisecond) // between two looks
	}
}
