package ollama_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

func TestGenerate_Streams(t *testing.T) {
	t.Parallel()
	server := fakeollama.Start(t)
	server.SetAnswer(func(system, user string) []string { return []string{" ", system, "", " and ", user, "\n"} })
	cfg := fast(server.URL())
	cfg.NumCtx = 4000
	client := newClient(t, cfg)
	pieces := []string{}

	got, err := client.Generate(t.Context(), model.Prompt{System: "be brief", User: "why?"},
		func(text string) { pieces = append(pieces, text) })
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("be brief and why?", got); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{" ", "be brief", " and ", "why?", "\n"}, pieces); diff != "" {
		t.Errorf("pieces (-want +got):\n%s", diff)
	}
	request := server.Requests("/api/chat")[0]
	want := map[string]any{"num_ctx": 4000.0, "num_predict": 1000.0, "temperature": 0.1}
	if diff := cmp.Diff(want, request.Options); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(`"30m0s"`, string(request.KeepAlive)); diff != "" {
		t.Errorf("keep_alive (-want +got):\n%s", diff)
	}
	if request.Truncate == nil || *request.Truncate {
		t.Errorf("truncate is %v, want false", request.Truncate)
	}
	if window := client.ContextWindow(t.Context()); window != 4000 {
		t.Errorf("context window %d, want 4000", window)
	}
}

func TestGenerate_RetriesBeforeTheFirstPieceOnly(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		faults   fakeollama.Faults
		requests int
		want     string // in the error; "" for none
	}{
		{"500 twice", fakeollama.Faults{Status: 500, Times: 2, Paths: []string{"/api/chat"}}, 3, ""},
		{"500 forever", fakeollama.Faults{Status: 500, Message: "out of memory"}, 3, "out of memory"},
		{"nothing at all", fakeollama.Faults{Status: 200, Body: "\n"}, 3, "the connection broke: unexpected EOF"},
		{"breaks after a piece", fakeollama.Faults{HangUp: true}, 1, "the connection broke: unexpected EOF"},
		{
			"error after a piece",
			fakeollama.Faults{Body: `{"message":{"content":"a piece"}}` + "\n" + `{"error":"the runner died"}`},
			1, "the server reports: the runner died",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server, client := start(t)
			server.SetFaults(test.faults)

			_, err := client.Generate(t.Context(), model.Prompt{User: "hello"}, nil)
			if test.want == "" {
				if err != nil {
					t.Fatal(err)
				}
			} else {
				asType[*model.UnavailableError](t, err)
				wantContains(t, err.Error(), test.want)
			}
			wantRequests(t, server, "/api/chat", test.requests)
		})
	}
}

func TestGenerate_CancellingStopsTheModel(t *testing.T) {
	t.Parallel()
	server, client := start(t)
	server.SetFaults(fakeollama.Faults{Stall: true})
	ctx, cancel := context.WithCancel(t.Context())

	_, err := client.Generate(ctx, model.Prompt{User: "hello"}, func(string) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want context.Canceled", err)
	}
	wantLeft(t, server, "/api/chat")
}

func TestGenerate_EmptyAnswer(t *testing.T) {
	t.Parallel()
	server, client := start(t)
	server.SetAnswer(func(string, string) []string { return []string{" ", "\n"} })

	_, err := client.Generate(t.Context(), model.Prompt{User: "hello"}, nil)
	if !errors.Is(err, model.ErrEmptyAnswer) {
		t.Errorf("got error %v, want ErrEmptyAnswer", err)
	}
}

func TestGenerate_PromptTooLong(t *testing.T) {
	t.Parallel()
	server, client := start(t)
	server.SetFaults(fakeollama.Faults{Window: 10})

	_, err := client.Generate(t.Context(), model.Prompt{User: strings.Repeat("word ", 50)}, nil)
	if !errors.Is(err, model.ErrInputTooLong) {
		t.Errorf("got error %v, want ErrInputTooLong", err)
	}
	wantRequests(t, server, "/api/chat", 1)
}

// The end of the tokens is an end of the answer like any other, and logged.
func TestGenerate_LogsAnAnswerThatUsesAllTokens(t *testing.T) {
	t.Parallel()
	server := fakeollama.Start(t)
	server.SetFaults(fakeollama.Faults{
		Body:  `{"message":{"content":"a long"}}` + "\n" + `{"done":true,"done_reason":"length","eval_count":1024}` + "\n",
		Paths: []string{"/api/chat"},
	})
	var logged strings.Builder
	cfg := fast(server.URL())
	cfg.Logger = slog.New(slog.NewTextHandler(&logged, nil))
	client := newClient(t, cfg)

	got, err := client.Generate(t.Context(), model.Prompt{User: "hello"}, nil)
	if err != nil || got != "a long" {
		t.Errorf("got %q and error %v, want the answer as far as it went", got, err)
	}
	wantContains(t, logged.String(), "level=WARN", "the answer was cut short", "most_tokens=1024")
}
