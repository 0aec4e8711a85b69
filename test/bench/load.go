package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	// sessions is the number of servers. Each searches once a second.
	sessions      = 16
	searchEvery   = time.Second
	loadDocuments = 1000
)

// load starts as many servers as a busy team has on one checkout. Each searches once a second while one of them indexes
// changed documents, and a hook asks it about a document that has not changed. Only these searches count: 99 of 100 take
// at most as long as the result.
func load(ctx context.Context, b *bench) (p99 float64, note string) {
	repo, url := b.newHookRepository("load", hookDocuments), b.newDatabase(ctx).url
	var servers []*server
	for range sessions {
		s := b.startServer(ctx, url, nobody)
		s.activateText(ctx, repo)
		servers = append(servers, s)
	}
	idle, _, spoke := servers[0].searchAndHook(ctx, "idle", 0)
	if !spoke {
		check(errors.New("a hook alone is silent"))
	}
	var mu sync.Mutex
	var busy, hooks []time.Duration
	silent := 0
	var took time.Duration // of the sync
	syncing, synced := context.WithCancel(ctx)
	defer synced()
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer synced()
		return attempt(func() {
			began := time.Now()
			repo.write(loadDocuments, 8)
			servers[0].activateText(groupCtx, repo)
			took = time.Since(began)
		})
	})
	for i, s := range servers {
		work := func() {
			next := time.NewTimer(time.Duration(i) * searchEvery / sessions) // not all at the same moment
			for n := 0; ; n++ {
				select {
				case <-syncing.Done():
					return
				case <-groupCtx.Done():
					return
				case <-next.C:
				}
				next.Reset(searchEvery)
				search, hook, spoke := s.searchAndHook(groupCtx, strconv.Itoa(i)+"-"+strconv.Itoa(n), n)
				mu.Lock()
				busy, hooks = append(busy, search), append(hooks, hook)
				if !spoke {
					silent++
				}
				mu.Unlock()
			}
		}
		group.Go(func() error { return attempt(work) })
	}
	check(group.Wait())
	return ms(percentile(busy, 99)), fmt.Sprintf("p50 %s ms of %d searches by %d servers during the sync of %d changed documents, "+
		"which took %s s; one search alone %s ms; hooks p50 %s ms, p99 %s ms, %d silent", number(ms(median(busy))), len(busy),
		sessions, loadDocuments, number(took.Seconds()), number(ms(idle)), number(ms(median(hooks))), number(ms(percentile(hooks, 99))),
		silent)
}

// searchAndHook times a search, and the hook of a command in a new session about a document behind the first loadDocuments.
func (s *server) searchAndHook(ctx context.Context, session string, i int) (search, hook time.Duration, spoke bool) {
	began := time.Now()
	s.search(ctx, name(loadDocuments+i)+" mooring")
	search = time.Since(began)
	call := commandAct(4 + 2*(i%8))
	call["session_id"] = session
	var answer map[string]any
	began = time.Now()
	check(s.Call(ctx, "recall", call, &answer))
	return search, time.Since(began), len(answer) > 0
}
