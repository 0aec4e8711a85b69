package main

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/answer"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// A team has so many servers, some on each checkout, whose pools are limited as
// docs/teams.md says.
const (
	teamServers        = 200
	teamCheckouts      = 20
	teamDocuments      = 100
	teamSearchEvery    = 10 * time.Second
	teamMaxConnections = 2
)

// session is what a server has without its process: a workspace with a pool of its own.
type session struct {
	active   *workspace.Project
	searcher *rag.Searcher
}

// newSession activates the repository. It ends at the end.
func (b *bench) newSession(ctx context.Context, databaseURL string, models *ollama.Client, repo *repository) *session {
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
	return &session{active: active, searcher: searcher}
}

func (s *session) timedSearch(ctx context.Context, i int) time.Duration {
	began := time.Now()
	get(s.searcher.Search(ctx, s.active.Compounding(), rag.Query{Text: query(i % loadQueries), Limit: searchLimit}))
	return time.Since(began)
}

// loadServers is load with as many servers as a large team has, on several checkouts. It
// fails unless each checkout has one indexer, and connections stay within their bound.
func loadServers(ctx context.Context, b *bench) (ratio float64, note string) {
	d := b.newDatabase(ctx)
	bound := teamServers * teamMaxConnections
	var most int
	d.scan(ctx, "SELECT current_setting('max_connections')::integer", &most)
	if most < 2*bound {
		check(fmt.Errorf("max_connections is %d, want %d for up to %d connections, and for others", most, 2*bound, bound))
	}
	team := b.startTeam(ctx, d)
	var connections, leaders int
	look := func() {
		var now int
		d.scan(ctx, `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND application_name LIKE 'compound-docs %'`, &now)
		connections = max(connections, now-int(d.pool.Stat().TotalConns()))
	}
	idle := searchIdle(ctx, team[:teamCheckouts])
	look()
	lasting := time.Duration(b.size(30, 60)) * time.Second
	b.say("load: %d servers for %v; idle p50 %.1f ms", teamServers, lasting, ms(median(idle)))
	searching, stop := context.WithCancel(ctx)
	var looking errgroup.Group
	looking.Go(func() error {
		for ; searching.Err() == nil; time.Sleep(200 * time.Millisecond) {
			look()
		}
		return nil
	})
	busy, err := searchSteadily(ctx, team, teamSearchEvery, lasting)
	stop()
	check(looking.Wait())
	check(err)
	d.scan(ctx, "SELECT count(*) FROM tenants WHERE lease_until > now()", &leaders)
	if leaders != teamCheckouts || connections > bound {
		check(fmt.Errorf("%d checkouts have %d indexers, and %d connections of at most %d",
			teamCheckouts, leaders, connections, bound))
	}
	p99, p50 := percentile(busy, 99), median(idle)
	return float64(p99) / float64(p50), fmt.Sprintf(
		"p99 %.1f ms (p50 %.1f ms) of %d searches by %d servers in %v, over %.1f ms idle; no error; "+
			"%d connections of at most %d; %d checkouts, with one indexer each",
		ms(p99), ms(median(busy)), len(busy), teamServers, lasting, ms(p50), connections, bound, leaders)
}

// startTeam starts the servers, first one of each checkout.
func (b *bench) startTeam(ctx context.Context, d *database) []searcher {
	models := get(ollama.New(ollama.Config{Host: b.startFake(0).URL(), Logger: b.logger}))
	b.atEnd(models.Close)
	limited := get(url.Parse(d.url))
	parameters := limited.Query()
	parameters.Set("pool_max_conns", strconv.Itoa(teamMaxConnections))
	limited.RawQuery = parameters.Encode()
	repos := make([]*repository, teamCheckouts)
	for i := range repos {
		repos[i] = b.newRepository(fmt.Sprintf("team-%d", i), teamDocuments, 1, uint64(corpusSeed+i))
	}
	team := make([]searcher, teamServers)
	for i := range team {
		team[i] = b.newSession(ctx, limited.String(), models, repos[i%teamCheckouts])
	}
	return team
}
