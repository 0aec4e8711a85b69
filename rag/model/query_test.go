package model_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/compound-docs/compound-docs/rag/model"
)

// The last 256 queries are remembered, for the build that made their vectors.
func TestEmbedQuery_RemembersQueries(t *testing.T) {
	t.Parallel()
	server := &fake{digest: "aaaa"}
	client := withConfig(server, model.Config{ModelTTL: time.Nanosecond})
	ask := func(query string, made int) {
		t.Helper()
		got, err := client.EmbedQuery(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Vector, vector(query)) || server.made() != made {
			t.Errorf("%s: another vector than the server's, or %d requests, want %d", query, server.made(), made)
		}
		clear(got.Vector) // the caller's own
	}
	for range 3 {
		ask("again", 1)
	}
	server.build("bbbb", nil)
	ask("again", 2)
	for i := range 256 {
		ask(fmt.Sprintf("query %d", i), 3+i)
	}
	ask("query 255", 258)
	ask("again", 259)
}

// A long query is cut until it fits, and remembered whole. A huge one is cut beforehand.
func TestEmbedQuery_CutsLongQueries(t *testing.T) {
	t.Parallel()
	server := &fake{embed: func(_ context.Context, request model.EmbedRequest) ([][]float32, error) {
		if len(request.Texts[0]) > 20_000 {
			return nil, model.ErrInputTooLong
		}
		return vectors(request.Texts), nil
	}}
	client := newClient(server)
	for range 2 {
		if _, err := client.EmbedQuery(t.Context(), strings.Repeat("ö", 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	texts := server.texts()
	if len(texts) != 3 || len(texts[0]) != 32<<10 || len(texts[2]) < 15_000 || strings.ContainsRune(texts[2], '\uFFFD') {
		t.Errorf("%d requests, want 3: of 32 KiB, and of three quarters each time", len(texts))
	}
	server.embed = func(context.Context, model.EmbedRequest) ([][]float32, error) { return nil, model.ErrInputTooLong }
	for query, want := range map[string]error{" ": model.ErrUnusableText, "one two three": model.ErrInputTooLong} {
		if _, err := client.EmbedQuery(t.Context(), query); !errors.Is(err, want) {
			t.Errorf("%q: got %v, want %v", query, err, want)
		}
	}
	server.embed = nil
	if _, err := client.EmbedQuery(t.Context(), "one two three"); err != nil {
		t.Errorf("an error was remembered: %v", err)
	}
}

// A caller that does without a server learns of a failure at once: its request is made once, and not at all
// for five seconds after one without an answer, unless another caller gets one.
func TestFailFast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := &fake{}
		fails := func(failure error) {
			server.embed = func(context.Context, model.EmbedRequest) ([][]float32, error) { return nil, failure }
		}
		client := newClient(server)
		ask := func(query string, made int) error {
			t.Helper()
			began, before := time.Now(), server.made()
			_, err := client.EmbedQuery(model.FailFast(t.Context()), query)
			if server.made()-before != made || time.Since(began) > 0 {
				t.Errorf("%d requests in %s, want %d without a wait", server.made()-before, time.Since(began), made)
			}
			return err
		}
		if err := ask("known", 1); err != nil {
			t.Fatal(err)
		}
		fails(away())
		wantUnavailable(t, ask("new", 1), "the connection broke")
		wantUnavailable(t, ask("new", 0), "the connection broke")
		time.Sleep(4 * time.Second)
		if err := ask("known", 0); err != nil {
			t.Errorf("a query that is remembered: %v", err)
		}
		time.Sleep(time.Second + 1)
		fails(&model.ServerError{Err: errors.New("out of memory"), Status: 500, Transient: true})
		for range 2 { // an answer is no sign that the server is away
			wantUnavailable(t, ask("new", 1), "out of memory")
		}
		time.Sleep(time.Minute)
		fails(away())
		wantUnavailable(t, ask("new", 1), "the connection broke")
		server.embed = nil
		if _, err := client.Embed(t.Context(), []string{"a passage"}); err != nil {
			t.Fatal(err)
		}
		if err := ask("new", 1); err != nil {
			t.Errorf("once the server is back: %v", err)
		}
	})
}

// A query is not held up by a server that takes requests and answers none.
func TestEmbedQuery_OfAServerThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := newClient(&fake{embedTime: time.Hour})
		for _, test := range []struct {
			ctx  context.Context //nolint:containedctx // of one call
			want time.Duration
		}{
			{t.Context(), 20 * time.Second}, // the model may have to be loaded
			{t.Context(), 5 * time.Second},
			{model.FailFast(t.Context()), 0},
		} {
			began := time.Now()
			_, err := client.EmbedQuery(test.ctx, began.String())
			wantUnavailable(t, err, "no answer within ")
			if took := time.Since(began); took != test.want {
				t.Errorf("the query took %s, want %s", took, test.want)
			}
		}
	})
}

// passageTime is the time a laptop takes for a passage.
const passageTime = 100 * time.Millisecond

// A query waits for the batch under way and no other, though four callers embed without a pause. A query that
// is remembered does not wait.
func TestTurns_QueryWaitsForOneBatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const batch, callers = 5, 4
		server := &fake{embedTime: passageTime}
		client := newClient(server)
		ctx, cancel := context.WithCancel(t.Context())
		for range callers {
			go func() {
				for ctx.Err() == nil {
					_, err := client.Embed(ctx, slices.Repeat([]string{"a passage"}, batch))
					if err != nil && ctx.Err() == nil {
						t.Error(err)
					}
				}
			}()
		}
		longest := time.Duration(0)
		for i := range 8 {
			time.Sleep(time.Second + time.Duration(i)*37*time.Millisecond)
			for j, most := range []time.Duration{(batch + 1) * passageTime, 0} {
				began := time.Now()
				if _, err := client.EmbedQuery(t.Context(), fmt.Sprintf("query %d", i)); err != nil {
					t.Fatal(err)
				}
				took := time.Since(began)
				if took > most {
					t.Errorf("a query took %v the %d. time, want %v at most", took, j+1, most)
				}
				longest = max(longest, took)
			}
		}
		cancel()
		if longest <= passageTime {
			t.Error("no query met a batch under way")
		}
		if least := 60; len(server.texts()) < least {
			t.Errorf("%d texts were embedded in the 9 s between the queries, want %d", len(server.texts()), least)
		}
	})
}

// A batch that is due while queries wait is sent once the last of them has its answer. A call that is cancelled
// leaves its place to the next one.
func TestTurns_PassagesWaitForAllQueries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := &fake{embedTime: passageTime}
		client := newClient(server)
		cancelled, cancel := context.WithCancel(t.Context())
		type result struct {
			name string
			err  error
		}
		results := make(chan result, 5)
		begin := func(name string, call func() error) {
			go func() { results <- result{name, call()} }()
			synctest.Wait()
		}
		begin("query", func() error { _, err := client.EmbedQuery(t.Context(), "query"); return err })
		begin("warm", func() error { return client.Warm(t.Context()) })
		begin("cancelled query", func() error { _, err := client.EmbedQuery(cancelled, "cancelled"); return err })
		begin("cancelled passage", func() error { _, err := client.Embed(cancelled, []string{"never"}); return err })
		begin("passage", func() error { _, err := client.Embed(t.Context(), []string{"passage"}); return err })
		cancel()
		time.Sleep(passageTime - time.Millisecond)
		synctest.Wait()
		if slices.Contains(server.texts(), "passage") {
			t.Error("the passage was sent while a query waited")
		}
		for range cap(results) {
			got := <-results
			if isCancelled := strings.HasPrefix(got.name, "cancelled"); errors.Is(got.err, context.Canceled) != isCancelled || got.err != nil != isCancelled {
				t.Errorf("%s: %v", got.name, got.err)
			}
		}
		if texts := server.texts(); len(texts) != 4 || texts[3] != "passage" {
			t.Errorf("got texts %q, want the passage at the end", texts)
		}
	})
}
