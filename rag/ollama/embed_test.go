package ollama_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

func numbered(n int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf("text number %d", i)
	}
	return texts
}

// Texts are one request, which forbids Ollama to cut them, and asks for shorter vectors only where the model can.
func TestEmbed_IsOneRequest(t *testing.T) {
	t.Parallel()
	for name, dimensions := range map[string]int{"bge-m3": 768, "qwen3-embedding:4b": 2560} {
		server := fakeollama.Start(t)
		server.AddModel(name, "aaaa")
		server.SetFaults(fakeollama.Faults{Dimensions: dimensions})
		cfg := fast(server.URL())
		cfg.EmbedModel = name
		texts := numbered(70)

		got, err := newClient(t, cfg).Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range texts {
			want := fakeollama.Shortened(fakeollama.Vector(text, dimensions), min(dimensions, model.Dimensions))
			if diff := cmp.Diff(want, got[i].Vector[:len(want)], cmpopts.EquateApprox(0, 1e-6)); diff != "" {
				t.Errorf("%s: embedding %d is not that of %q", name, i, text)
			}
		}
		requests := server.Requests("/api/embed")
		if len(requests) != 1 || requests[0].Truncate == nil || *requests[0].Truncate {
			t.Fatalf("%s: got requests %+v, want one that does not truncate", name, requests)
		}
		if diff := cmp.Diff(map[string]any{"num_ctx": 2048.0}, requests[0].Options); diff != "" {
			t.Errorf("options (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(`"30m0s"`, string(requests[0].KeepAlive)); diff != "" {
			t.Errorf("keep_alive (-want +got):\n%s", diff)
		}
	}
}

// Each answer of a server, the caller's error, and how often the request is made.
func TestEmbed_Faults(t *testing.T) {
	t.Parallel()
	type faults = fakeollama.Faults
	unavailable := func(err error) bool { return errors.As(err, new(*model.UnavailableError)) }
	missing := func(err error) bool { return errors.As(err, new(*model.MissingError)) }
	for name, test := range map[string]struct {
		fault faults
		is    func(error) bool
		made  int
		says  string
	}{
		"500":                   {faults{Status: 500, Message: "out of memory"}, unavailable, 3, "HTTP 500 Internal Server Error: out of memory"},
		"a long message":        {faults{Status: 500, Message: strings.Repeat("much\nado ", 1000)}, unavailable, 3, "much ado"},
		"503":                   {faults{Status: 503}, unavailable, 3, "HTTP 503 Service Unavailable"},
		"408":                   {faults{Status: 408}, unavailable, 3, "HTTP 408 Request Timeout"},
		"429":                   {faults{Status: 429}, unavailable, 3, "HTTP 429 Too Many Requests"},
		"connection breaks":     {faults{HangUp: true}, unavailable, 3, "the connection broke: EOF"},
		"401":                   {faults{Status: 401}, unavailable, 1, "HTTP 401 Unauthorized; check the user name and password"},
		"403":                   {faults{Status: 403}, unavailable, 1, "HTTP 403 Forbidden; check the user name and password"},
		"404 of another server": {faults{Status: 404, Body: "404 page not found"}, unavailable, 1, "is this an Ollama server?"},
		"418":                   {faults{Status: 418}, unavailable, 1, "HTTP 418 I'm a teapot"},
		"no embedding model":    {faults{Status: 400, Message: `"mistral" does not support embeddings`}, unavailable, 1, "does not support embeddings"},
		"no JSON":               {faults{Body: "<html>welcome</html>"}, unavailable, 1, "no valid JSON; is this an Ollama server?"},
		"another shape":         {faults{Body: `{"embeddings":["x"]}`}, unavailable, 1, "no valid JSON; is this an Ollama server?"},
		"a number too large":    {faults{Body: `{"embeddings":[[1e400]]}`}, unavailable, 1, "no valid JSON"},
		"too few vectors":       {faults{Missing: 1}, unavailable, 1, "1 vectors for 2 texts"},
		"too many numbers":      {faults{Body: `{"embeddings":[[` + strings.Repeat("0.123456789,", 60_000) + `1]]}`}, unavailable, 1, "it is larger than 640 KiB"},
		"too many vectors":      {faults{Body: `{"embeddings":[` + strings.Repeat("[],", 100) + `[]]}`}, unavailable, 1, "101 vectors for 2 texts"},
		"half an answer":        {faults{Body: `{"embeddings":[[1`}, unavailable, 3, "the connection broke: unexpected EOF"},
		"model missing":         {faults{Status: 404, Message: `model "x" not found, try pulling it first`}, missing, 1, "run: ollama pull mxbai-embed-large (or compound-docs up)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, client := start(t)
			test.fault.Paths = []string{"/api/embed"}
			server.SetFaults(test.fault)
			_, err := client.Embed(t.Context(), []string{"a text", "another text"})
			if !test.is(err) || !strings.Contains(err.Error(), test.says) {
				t.Fatalf("got %v (%T), want another type or %q", err, err, test.says)
			}
			if said := err.Error(); len([]rune(said)) > 450 || strings.Contains(said, "\n") {
				t.Errorf("got %d characters: %s", len([]rune(said)), said)
			}
			wantRequests(t, server, "/api/embed", test.made)
		})
	}
}

// Ollama's messages about a text are told from those about the model.
func TestEmbed_RefusesTexts(t *testing.T) {
	t.Parallel()
	type faults = fakeollama.Faults
	for name, test := range map[string]struct {
		fault faults
		want  error
	}{
		"too long":                   {faults{Window: 10}, model.ErrInputTooLong},
		"too long for 0.10":          {faults{Window: 10, WindowMessage: "input length exceeds maximum context length"}, model.ErrInputTooLong},
		"too long beyond truncation": {faults{Window: 10, WindowMessage: "input exceeds maximum context length and cannot be truncated further"}, model.ErrInputTooLong},
		"rejected":                   {faults{Reject: []string{"bad"}}, model.ErrUnusableText},
		"not a number":               {faults{NaN: []string{"bad"}}, model.ErrUnusableText},
	} {
		server, client := start(t)
		server.SetFaults(test.fault)
		got, err := client.Embed(t.Context(), []string{"good", strings.Repeat("bad ", 20)})
		if err != nil {
			t.Fatal(err)
		}
		if got[0].Err != nil || !errors.Is(got[1].Err, test.want) {
			t.Errorf("%s: got %v and %v, want %v for the second text", name, got[0].Err, got[1].Err, test.want)
		}
	}
}

// Credentials are sent and not shown. The error of a server that does not run says how to start it.
func TestEmbed_HidesCredentials(t *testing.T) {
	t.Parallel()
	server := fakeollama.Start(t)
	client := newClient(t, fast(strings.Replace(server.URL(), "http://", "http://someone:secret@", 1)))

	if _, err := client.Embed(t.Context(), numbered(1)); err != nil {
		t.Fatal(err)
	}
	request := server.Requests("/api/embed")[0]
	if request.Username != "someone" || request.Password != "secret" {
		t.Errorf("got user %q, password %q", request.Username, request.Password)
	}
	server.Close()
	_, err := client.Embed(t.Context(), numbered(1))
	unavailable := asType[*model.UnavailableError](t, err)
	wantContains(t, err.Error(), "ollama serve", server.URL())
	for _, text := range []string{err.Error(), unavailable.Server} {
		if strings.Contains(text, "secret") || strings.Contains(text, "someone") {
			t.Errorf("%q holds credentials", text)
		}
	}
}

// A refused connection is an answer: waiting a second or three makes no server.
func TestEmbed_DoesNotTryARefusedConnectionAgain(t *testing.T) {
	t.Parallel()
	server := fakeollama.Start(t)
	server.Close()
	cfg := fast(server.URL())
	cfg.RetryDelay = time.Hour
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := newClient(t, cfg).Embed(ctx, numbered(1))
	wantContains(t, asType[*model.UnavailableError](t, err).Error(), "ollama serve")
	if ctx.Err() != nil {
		t.Error("it waits, want an error at once")
	}
}
