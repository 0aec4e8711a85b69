package model_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/model"
)

// says is a chat of some pieces, after which the server returns an error or hangs.
func says(after error, pieces ...string) func(context.Context, model.ChatRequest, func(string)) error {
	return func(ctx context.Context, _ model.ChatRequest, write func(string)) error {
		for _, piece := range pieces {
			write(piece)
		}
		if errors.Is(after, errHangs) {
			<-ctx.Done()
			return ctx.Err()
		}
		return after
	}
}

var errHangs = errors.New("the server hangs")

// A request is made again before the first piece only. Text before an interruption is not lost.
func TestGenerate(t *testing.T) {
	t.Parallel()
	broken := away()
	for name, test := range map[string]struct {
		chat   func(context.Context, model.ChatRequest, func(string)) error
		window int
		text   string
		says   string // in the error, "" for none
		made   int
		took   time.Duration
	}{
		"whole":                         {chat: says(nil, " ", "be brief", "", " and ", "why?", "\n"), text: "be brief and why?", made: 1},
		"empty":                         {chat: says(nil, " ", "\n"), says: "empty answer", made: 1},
		"refused":                       {chat: says(model.ErrInputTooLong), says: "context window", made: 1},
		"breaks before the first piece": {chat: says(broken), says: "the connection broke", made: 3, took: -1},
		"nothing listens": {
			chat: says(&model.ServerError{Err: errors.New("refused"), Transient: true, Unreached: true}), says: "refused", made: 1,
		},
		"breaks after a piece":                  {chat: says(broken, " Half an answer"), text: "Half an answer", says: "cut short: fake at http://h: the connection broke", made: 1},
		"breaks after white space":              {chat: says(broken, "\n"), says: "the connection broke", made: 1},
		"falls silent":                          {chat: says(errHangs, "Half"), text: "Half", says: "no answer within 1m0s", made: 1, took: time.Minute},
		"nothing at all":                        {chat: says(errHangs), says: "no answer within 2m0s", made: 1, took: 2 * time.Minute},
		"nothing, from a server that all hangs": {chat: says(errHangs), window: -1, says: "no answer within 2m0s", made: 1, took: 2*time.Minute + time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server := &fake{chat: test.chat, window: test.window}
				began, streamed := time.Now(), ""
				got, err := newClient(server).Generate(t.Context(), model.Prompt{User: "why?"}, func(piece string) { streamed += piece })
				if got != test.text || strings.TrimSpace(streamed) != test.text {
					t.Errorf("got %q, streamed %q, want %q", got, streamed, test.text)
				}
				if (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) {
					t.Errorf("got %v, want %q", err, test.says)
				}
				if _, cut := errors.AsType[*model.CutShortError](err); cut != (test.text != "" && test.says != "") {
					t.Errorf("got %v: it is a *CutShortError: %t", err, cut)
				}
				if asked := len(server.asked()); asked != test.made {
					t.Errorf("%d requests, want %d", asked, test.made)
				}
				if took := time.Since(began); test.took >= 0 && took != test.took {
					t.Errorf("it took %s, want %s", took, test.took)
				}
				time.Sleep(time.Hour) // for the model that goes on loading
			})
		})
	}
}

// A call with a deadline waits for the first piece as long as configured, also for a server that is too busy for a
// small question. A person waits as long as a model may take to load, at least. The model goes on loading for the
// next answer.
func TestGenerate_LetsTheModelLoad(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limited, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		for _, test := range []struct {
			ctx         context.Context //nolint:containedctx // of one call
			configured  time.Duration
			window      int
			loads, want time.Duration
			loaded      bool
		}{
			{limited, 0, 0, 40 * time.Second, 40 * time.Second, true},
			{limited, 0, 0, time.Minute, 50 * time.Second, true},
			{limited, 90 * time.Second, 0, 80 * time.Second, 80 * time.Second, true},
			{limited, 90 * time.Second, -1, 80 * time.Second, 81 * time.Second, true},
			{t.Context(), 0, 0, time.Minute, time.Minute, true},
			{t.Context(), 0, 0, time.Hour, 2 * time.Minute, false},
			{t.Context(), 10 * time.Minute, 0, 5 * time.Minute, 5 * time.Minute, true},
		} {
			loaded := false
			client := withConfig(&fake{window: test.window, chat: func(ctx context.Context, _ model.ChatRequest, write func(string)) error {
				select {
				case <-ctx.Done():
					return ctx.Err()
				case <-time.After(test.loads):
				}
				loaded = true
				write("an answer")
				return nil
			}}, model.Config{FirstPiece: test.configured})
			began := time.Now()
			_, err := client.Generate(test.ctx, model.Prompt{User: "why?"}, nil)
			if took := time.Since(began); took != test.want || (err == nil) != (test.want >= test.loads) {
				t.Errorf("a model that loads for %s: %v after %s, want %s", test.loads, err, took, test.want)
			}
			time.Sleep(test.loads)
			synctest.Wait()
			if loaded != test.loaded {
				t.Errorf("a model that loads for %s was loaded: %t", test.loads, loaded)
			}
		}
	})
}

// While the model reads, the caller hears of it. An error names what to change for a slow model.
func TestGenerate_SaysThatTheModelReads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limited, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		reads := 12 * time.Second
		client := newClient(&fake{chat: func(_ context.Context, _ model.ChatRequest, write func(string)) error {
			time.Sleep(reads)
			write("an answer")
			return nil
		}})
		prompt := model.Prompt{User: strings.Repeat("x", 12_000)}
		var heard []string
		_, err := client.Generate(limited, prompt, func(text string) { heard = append(heard, text) })
		if diff := cmp.Diff([]string{"", "", "an answer"}, heard); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		reads = time.Hour
		began := time.Now()
		_, err = client.Generate(limited, prompt, nil)
		if took := time.Since(began); err == nil || took != 50*time.Second || !strings.Contains(err.Error(), "generation_context_length") {
			t.Errorf("%v after %s, want an error after 50 s", err, took)
		}
		time.Sleep(2 * reads)
	})
}

func TestGenerate_CancellingStopsTheModel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		stopped := false
		client := newClient(&fake{chat: func(ctx context.Context, _ model.ChatRequest, write func(string)) error {
			write("a piece")
			<-ctx.Done()
			stopped = true
			return ctx.Err()
		}})
		got, err := client.Generate(ctx, model.Prompt{User: "hello"}, func(string) { cancel() })
		synctest.Wait()
		if got != "" || !errors.Is(err, context.Canceled) || !stopped {
			t.Errorf("got %q, %v, and the request was cancelled: %t", got, err, stopped)
		}
	})
}

// The window is the configured one, or the model's if that is smaller and known. An answer takes a quarter at most.
func TestContextWindow(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ trained, configured, want, answer int }{
		"the model was made for fewer": {2048, 8192, 2048, 512},
		"the model was made for more":  {131072, 0, 8192, 1024},
		"the model does not say":       {0, 4000, 4000, 1000},
	} {
		server := &fake{window: test.trained, chat: says(nil, "hi")}
		client := withConfig(server, model.Config{NumCtx: test.configured})
		prompt := model.Prompt{System: "be brief", User: "hello"}
		if _, err := client.Generate(t.Context(), prompt, nil); err != nil {
			t.Fatal(err)
		}
		want := model.ChatRequest{Model: "mistral", Prompt: prompt, Window: test.want, MaxTokens: test.answer}
		if diff := cmp.Diff(want, server.asked()[0]); diff != "" || client.ContextWindow(t.Context()) != test.want {
			t.Errorf("%s: a window of %d, request (-want +got):\n%s", name, client.ContextWindow(t.Context()), diff)
		}
	}
}

// Failed answers say nothing about vectors: the next search uses meaning.
func TestBreaker_OfAnswersIsNotThatOfVectors(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := newClient(&fake{chat: says(away())})
		for _, want := range []string{"the connection broke", "failed repeatedly and is not asked now"} {
			_, err := client.Generate(t.Context(), model.Prompt{User: "hello"}, nil)
			wantUnavailable(t, err, want)
			if _, err := client.EmbedQuery(model.FailFast(t.Context()), want); err != nil {
				t.Errorf("a query: %v", err)
			}
		}
	})
}
