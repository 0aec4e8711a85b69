package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	// sessions is how many servers there are, each of which searches once a second.
	sessions      = 16
	searchEvery   = time.Second
	loadQueries   = 20 // different ones
	loadDocuments = 1000
)

// load starts as many servers as a busy team has on one checkout. Each searches
// once a second, while the one that indexes syncs changed documents. What 99 of
// 100 searches stay below is compared with the median of the same searches
// before, one at a time. That median is of the servers together, with the corpus
// as it was.
func load(ctx context.Context, e *environment) (_ result, err error) {
	c, err := e.openCorpus(ctx)
	if err != nil {
		return result{}, err
	}
	servers := []*server{c.server}
	defer func() {
		for _, s := range servers[1:] {
			err = errors.Join(err, s.Close())
		}
	}()
	for len(servers) < sessions {
		s, err := e.startServer(ctx, c.database.url, c.fake.URL())
		if err != nil {
			return result{}, err
		}
		servers = append(servers, s)
		if err := s.activate(ctx, c.repo, "main"); err != nil {
			return result{}, err
		}
	}
	idle, err := searchIdle(ctx, servers)
	if err != nil {
		return result{}, err
	}
	lasting := time.Duration(e.size(15, 60)) * time.Second
	e.say("load: %d servers for %v; idle p50 %.1f ms", sessions, lasting, ms(median(idle)))

	var busy []time.Duration
	var syncing time.Duration
	began := time.Now()
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		busy, err = searchSteadily(groupCtx, servers, lasting)
		return err
	})
	group.Go(func() error {
		if err := c.repo.write(loadDocuments, 8); err != nil {
			return err
		}
		err := c.server.activate(groupCtx, c.repo, "main")
		syncing = time.Since(began)
		return err
	})
	if err := group.Wait(); err != nil {
		return result{}, err
	}
	p99, p50 := percentile(busy, 99), median(idle)
	return result{float64(p99) / float64(p50), fmt.Sprintf(
		"p99 %.1f ms (p50 %.1f ms) of %d searches by %d servers in %v, over %.1f ms idle; no error; "+
			"%d changed documents synced in %.0f s from the start",
		ms(p99), ms(median(busy)), len(busy), sessions, lasting, ms(p50), loadDocuments, syncing.Seconds())}, nil
}

// searchIdle times every query on every server, one after another. Each is asked
// twice: the first time embeds it.
func searchIdle(ctx context.Context, servers []*server) ([]time.Duration, error) {
	var took []time.Duration
	for _, s := range servers {
		for i := range 2 * loadQueries {
			one, err := timedSearch(ctx, s, i)
			if err != nil {
				return nil, err
			}
			if i >= loadQueries {
				took = append(took, one)
			}
		}
	}
	return took, nil
}

// searchSteadily has every server search once a second, not all at the same moment.
func searchSteadily(ctx context.Context, servers []*server, lasting time.Duration) ([]time.Duration, error) {
	var mu sync.Mutex
	var took []time.Duration
	group, ctx := errgroup.WithContext(ctx)
	for i, s := range servers {
		group.Go(func() error {
			next := time.NewTimer(time.Duration(i) * searchEvery / sessions)
			for n := range int(lasting / searchEvery) {
				select {
				case <-ctx.Done():
					return context.Cause(ctx)
				case <-next.C:
				}
				next.Reset(searchEvery)
				one, err := timedSearch(ctx, s, n)
				if err != nil {
					return err
				}
				mu.Lock()
				took = append(took, one)
				mu.Unlock()
			}
			return nil
		})
	}
	err := group.Wait()
	return took, err
}

func timedSearch(ctx context.Context, s *server, i int) (time.Duration, error) {
	began := time.Now()
	err := s.search(ctx, query(i%loadQueries))
	return time.Since(began), err
}
