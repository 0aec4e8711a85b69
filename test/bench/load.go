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
	// sessions is the number of servers. Each searches once a second.
	sessions      = 16
	searchEvery   = time.Second
	loadQueries   = 20 // different ones
	loadDocuments = 1000
)

// load starts as many servers as a busy team has on one checkout. Each searches once a second while
// one of them indexes changed documents. Only these searches count: 99 of 100 take at most as long
// as the result. The note compares it with the median of the same searches before, one at a time.
func load(ctx context.Context, b *bench) (p99 float64, note string) {
	c := b.openCorpus(ctx)
	servers := []*server{c.server}
	for len(servers) < sessions {
		s := b.startServer(ctx, c.database.url, c.fake.URL())
		s.activate(ctx, c.repo)
		servers = append(servers, s)
	}
	var idle []time.Duration
	for _, s := range servers {
		for i := range 2 * loadQueries { // the first time embeds the query
			if took := s.timedSearch(ctx, i); i >= loadQueries {
				idle = append(idle, took)
			}
		}
	}
	b.say("load: %d servers; idle p50 %.1f ms", sessions, ms(median(idle)))

	var mu sync.Mutex
	var busy []time.Duration
	var took time.Duration // of the sync
	syncing, synced := context.WithCancel(ctx)
	defer synced()
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer synced()
		return attempt(func() {
			began := time.Now()
			c.repo.write(loadDocuments, 8)
			c.server.activate(groupCtx, c.repo)
			took = time.Since(began)
		})
	})
	for i, s := range servers {
		search := func() {
			// Not all servers search at the same moment.
			next := time.NewTimer(time.Duration(i) * searchEvery / sessions)
			for n := 0; ; n++ {
				select {
				case <-syncing.Done():
					return
				case <-groupCtx.Done():
					return
				case <-next.C:
				}
				next.Reset(searchEvery)
				one := s.timedSearch(groupCtx, n)
				mu.Lock()
				busy = append(busy, one)
				mu.Unlock()
			}
		}
		group.Go(func() error { return attempt(search) })
	}
	check(group.Wait())
	slow := percentile(busy, 99)
	return ms(slow), fmt.Sprintf(
		"p50 %.1f ms of %d searches by %d servers during the sync of %d changed documents, which took %.0f s; "+
			"no error; the p99 is %.1f times the %.1f ms of the idle median",
		ms(median(busy)), len(busy), sessions, loadDocuments, took.Seconds(), float64(slow)/float64(median(idle)), ms(median(idle)))
}

func (s *server) timedSearch(ctx context.Context, i int) time.Duration {
	text := query(i % loadQueries)
	began := time.Now()
	s.search(ctx, rag.Hybrid, text)
	return time.Since(began)
}
