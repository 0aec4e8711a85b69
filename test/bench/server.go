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
type server struct {
	*mcpclient.Client
}

// startServer starts the program on a database and an Ollama. The caller closes it.
func (e *environment) startServer(ctx context.Context, databaseURL, ollamaHost string) (*server, error) {
	client, err := mcpclient.Start(ctx, e.serverCommand(databaseURL, ollamaHost), nil)
	return &server{client}, err
}

func (e *environment) serverCommand(databaseURL, ollamaHost string) *exec.Cmd {
	command := exec.Command(e.program, "serve", "--log-level", "warn") //nolint:noctx // ends when its stdin does
	command.Env = mcpclient.Environment(e.dir, databaseURL, ollamaHost)
	command.Stderr = os.Stderr
	return command
}

// activate makes the repository active and waits until its index holds all of
// its documents.
func (s *server) activate(ctx context.Context, r *repository, branch string) error {
	return s.Activate(ctx, r.config(), branch)
}

// searchLimit is the default of the tool.
const searchLimit = 10

// search asks for ten documents whatever their relevance, and requires them.
func (s *server) search(ctx context.Context, query string) error {
	var answer struct {
		Results []struct{} `json:"results"`
	}
	arguments := map[string]any{"query": query, "limit": searchLimit, "min_relevance_score": 0}
	if err := s.Call(ctx, "semantic_search", arguments, &answer); err != nil {
		return err
	}
	if len(answer.Results) != searchLimit {
		return fmt.Errorf("search %q: %d results, want %d", query, len(answer.Results), searchLimit)
	}
	return nil
}

// handshake compares the start of the server with that of the smallest one:
// from the start of the process until the client has the answer to initialize.
func handshake(ctx context.Context, e *environment) (result, error) {
	start := func(command func() *exec.Cmd) timed {
		return func(ctx context.Context, _ int) (time.Duration, error) {
			began := time.Now()
			client, err := mcpclient.Start(ctx, command(), nil)
			if err != nil {
				return 0, err
			}
			took := time.Since(began)
			return took, client.Close()
		}
	}
	return compare(ctx, 3, e.size(30, 100),
		start(func() *exec.Cmd { return e.serverCommand(e.databaseURL, e.ollamaHost) }),
		start(func() *exec.Cmd { return exec.Command(e.hello) }), //nolint:noctx // ends when its stdin does
		"")
}
