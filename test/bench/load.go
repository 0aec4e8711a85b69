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
func load(ctx context.Context, e *environment) (_ []Row, err error) {
	c, err := e.openCorpus(ctx)
	if err != nil {
		return nil, err
	}
	lasting := time.Duration(e.size(15, 60)) * time.Second
	e.say("load: %d servers for %v", sessions, lasting)
	servers, err := e.openSessions(ctx, c)
	defer func() {
		for _, s := range servers[1:] {
			err = errors.Join(err, s.close())
		}
	}()
	if err != nil {
		return nil, err
	}
	idle, err := searchIdle(ctx, servers)
	if err != nil {
		return nil, err
	}
	e.say("load: idle p50 %.1f ms", ms(median(idle)))

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
		return nil, err
	}
	p99, p50 := percentile(busy, 99), median(idle)
	return []Row{{
		Name: "load.sessions", Value: float64(p99) / float64(p50), Unit: "ratio", Target: atMost(10),
		Note: fmt.Sprintf("p99 %.1f ms (p50 %.1f ms) of %d searches by %d servers in %v, over %.1f ms idle; no error; "+
			"%d changed documents synced in %.0f s from the start",
			ms(p99), ms(median(busy)), len(busy), sessions, lasting, ms(p50), loadDocuments, syncing.Seconds()),
	}}, nil
}

// openSessions returns the corpus's server and others beside it, which the caller
// closes; those that were started come with an error too.
func (e *environment) openSessions(ctx context.Context, c *corpus) ([]*server, error) {
	servers := []*server{c.server}
	for range sessions - 1 {
		s, err := e.startServer(ctx, c.database.url, c.fake.URL())
		if err != nil {
			return servers, err
		}
		servers = append(servers, s)
		if err := s.activate(ctx, c.repo, "main"); err != nil {
			return servers, err
		}
	}
	return servers, nil
}

// searchIdle times every query on every server, one after another. Each is asked
// twice: the first time embeds it.
func searchIdle(ctx context.Context, servers []*server) ([]time.Duration, error) {
	var took []time.Duration
	for _, s := range servers {
		for i := range 2 * loadQueries {
			one, err := timedSearch(ctx, s, i%loadQueries)
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
	began := time.Now()
	group, ctx := errgroup.WithContext(ctx)
	for i, s := range servers {
		group.Go(func() error {
			next := began.Add(time.Duration(i) * searchEvery / sessions)
			for n := 0; next.Before(began.Add(lasting)); n++ {
				if err := sleepUntil(ctx, next); err != nil {
					return err
				}
				one, err := timedSearch(ctx, s, n%loadQueries)
				if err != nil {
					return err
				}
				mu.Lock()
				took = append(took, one)
				mu.Unlock()
				next = next.Add(searchEvery)
			}
			return nil
		})
	}
	err := group.Wait()
	return took, err
}

func timedSearch(ctx context.Context, s *server, i int) (time.Duration, error) {
	began := time.Now()
	err := s.search(ctx, query(i))
	return time.Since(began), err
}

func sleepUntil(ctx context.Context, at time.Time) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(time.Until(at)):
		return nil
	}
}
