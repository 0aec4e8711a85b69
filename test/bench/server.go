package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/compound-docs/compound-docs/test/mcpclient"
)

// server is the program, running, with a client that talks to it over stdio.
type server struct{ *mcpclient.Client }

// startServer starts the program on a database and an Ollama. It ends at the end.
func (b *bench) startServer(ctx context.Context, databaseURL, ollamaHost string) *server {
	s := &server{get(mcpclient.Start(ctx, b.serverCommand(databaseURL, ollamaHost)))}
	b.atEnd(s.Close)
	return s
}

func (e *environment) serverCommand(databaseURL, ollamaHost string) *exec.Cmd {
	in := mcpclient.Installation{Program: e.program, Home: e.dir, DatabaseURL: databaseURL, OllamaHost: ollamaHost}
	command := in.Command("serve", "--log-level", "warn")
	command.Stderr = os.Stderr
	return command
}

// activate makes the repository active and waits until its index holds all of
// its documents.
func (s *server) activate(ctx context.Context, r *repository, branch string) {
	check(s.Activate(ctx, r.config(), branch))
}

// searchLimit is the default of the tool.
const searchLimit = 10

// search asks for ten documents whatever their relevance, and requires them.
func (s *server) search(ctx context.Context, query string) {
	var answer struct {
		Results []struct{} `json:"results"`
	}
	arguments := map[string]any{"query": query, "limit": searchLimit, "min_relevance_score": 0}
	check(s.Call(ctx, "semantic_search", arguments, &answer))
	if len(answer.Results) != searchLimit {
		check(fmt.Errorf("search %q: %d results, want %d", query, len(answer.Results), searchLimit))
	}
}

// handshake compares the start of the server with that of the smallest one:
// from the start of the process until the client has the answer to initialize.
func handshake(ctx context.Context, b *bench) (ratio float64, note string) {
	start := func(command func() *exec.Cmd) timed {
		return func(ctx context.Context, _ int) time.Duration {
			began := time.Now()
			client := get(mcpclient.Start(ctx, command()))
			took := time.Since(began)
			check(client.Close())
			return took
		}
	}
	return compare(ctx, 3, b.size(30, 100),
		start(func() *exec.Cmd { return b.serverCommand(b.databaseURL, b.ollamaHost) }),
		start(func() *exec.Cmd { return exec.Command(b.hello) }), //nolint:noctx // ends when its stdin does
		"")
}
