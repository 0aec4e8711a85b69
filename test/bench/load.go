package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/compound-docs/compound-docs/rag"
)

const (
	// sessions is how many servers there are, each of which searches once a second.
	sessions      = 16
	searchEvery   = time.Second
	loadQueries   = 20 // different ones
	loadDocuments = 1000
)

// searcher is a server that can be searched, and times its searches.
type searcher interface {
	timedSearch(ctx context.Context, i int) time.Duration
}

// load starts as many servers as a busy team has on one checkout. Each searches
// once a second, while the one that indexes syncs changed documents. What 99 of
// 100 searches stay below is compared with the median of the same searches
// before, one at a time. That median is of the servers together, with the corpus
// as it was.
func load(ctx context.Context, b *bench) (ratio float64, note string) {
	c := b.openCorpus(ctx)
	servers := []searcher{c.server}
	for len(servers) < sessions {
		s := b.startServer(ctx, c.database.url, c.fake.URL())
		s.activate(ctx, c.repo, "main")
		servers = append(servers, s)
	}
	idle := searchIdle(ctx, servers)
	lasting := time.Duration(b.size(15, 60)) * time.Second
	b.say("load: %d servers for %v; idle p50 %.1f ms", sessions, lasting, ms(median(idle)))

	var busy []time.Duration
	var syncing time.Duration
	began := time.Now()
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		busy, err = searchSteadily(groupCtx, servers, searchEvery, lasting)
		return err
	})
	group.Go(func() error {
		return attempt(func() {
			c.repo.write(loadDocuments, 8)
			c.server.activate(groupCtx, c.repo, "main")
			syncing = time.Since(began)
		})
	})
	check(group.Wait())
	p99, p50 := percentile(busy, 99), median(idle)
	return float64(p99) / float64(p50), fmt.Sprintf(
		"p99 %.1f ms (p50 %.1f ms) of %d searches by %d servers in %v, over %.1f ms idle; no error; "+
			"%d changed documents synced in %.0f s from the start",
		ms(p99), ms(median(busy)), len(busy), sessions, lasting, ms(p50), loadDocuments, syncing.Seconds())
}

// searchIdle times every query on every server, one after another. Each is asked
// twice: the first time embeds it.
func searchIdle(ctx context.Context, servers []searcher) (took []time.Duration) {
	for _, s := range servers {
		for i := range 2 * loadQueries {
			one := s.timedSearch(ctx, i)
			if i >= loadQueries {
				took = append(took, one)
			}
		}
	}
	return took
}

// searchSteadily has every server search at an interval, not all at the same moment.
func searchSteadily(ctx context.Context, servers []searcher, interval, lasting time.Duration) ([]time.Duration, error) {
	var mu sync.Mutex
	var took []time.Duration
	group, ctx := errgroup.WithContext(ctx)
	for i, s := range servers {
		search := func() {
			next := time.NewTimer(time.Duration(i) * interval / time.Duration(len(servers)))
			for n := range int(lasting / interval) {
				select {
				case <-ctx.Done():
					check(context.Cause(ctx))
				case <-next.C:
				}
				next.Reset(interval)
				one := s.timedSearch(ctx, n)
				mu.Lock()
				took = append(took, one)
				mu.Unlock()
			}
		}
		group.Go(func() error { return attempt(search) })
	}
	err := group.Wait()
	return took, err
}

func (s *server) timedSearch(ctx context.Context, i int) time.Duration {
	text := query(i % loadQueries)
	began := time.Now()
	s.search(ctx, rag.Hybrid, text)
	return time.Since(began)
}
