package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/mcpclient"
)

// server is the program, running, with a client that talks to it over stdio.
type server struct{ *mcpclient.Client }

// startFake starts an Ollama that takes the time for each text. It ends at the end.
func (b *bench) startFake(embedTime time.Duration) *fakeollama.Server {
	fake := fakeollama.New()
	fake.SetFaults(fakeollama.Faults{EmbedTime: embedTime})
	b.atEnd(func() error {
		fake.Close()
		return nil
	})
	return fake
}

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
func (s *server) activate(ctx context.Context, r *repository) {
	check(s.Activate(ctx, r.config(), "main"))
}

// activateText makes the repository active and waits until its documents are found by
// their words.
func (s *server) activateText(ctx context.Context, r *repository) {
	check(s.Call(ctx, "activate_project", map[string]any{"config_path": r.config(), "branch_name": "main"}, nil))
	check(s.WaitForText(ctx))
}

// findEach finds every document of the repository by a word that no other has.
func (s *server) findEach(ctx context.Context, r *repository) {
	for i := range r.documents {
		var answer struct {
			Results []struct {
				Path string `json:"path"`
			} `json:"results"`
		}
		check(s.Call(ctx, "semantic_search", map[string]any{"query": ownWord(i), "limit": 1, "mode": rag.Lexical}, &answer))
		if len(answer.Results) != 1 || filepath.Join(r.root, answer.Results[0].Path) != r.path(i) {
			check(fmt.Errorf("search %q: %+v, want %s", ownWord(i), answer, r.path(i)))
		}
	}
}

// searchLimit is the default of the tool.
const searchLimit = 10

// search looks for words, and requires a document.
func (s *server) search(ctx context.Context, query string) {
	var answer struct {
		Results []struct{} `json:"results"`
	}
	arguments := map[string]any{"query": query, "mode": rag.Lexical, "limit": searchLimit, "min_relevance_score": 0}
	check(s.Call(ctx, "semantic_search", arguments, &answer))
	if len(answer.Results) == 0 {
		check(fmt.Errorf("search %q: no results", query))
	}
}
