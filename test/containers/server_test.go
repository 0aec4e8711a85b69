// Package containers_test runs the real program against PostgreSQL and Ollama in
// containers: every tool. The test of the tools runs against native
// processes too, so that both give the same answers. The package starts the program and
// calls its tools as a client does, and does not know how the containers are made.
package containers_test

import (
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/test/await"
	"github.com/compound-docs/compound-docs/test/gitrepo"
	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/testenv"
)

func TestMain(m *testing.M) {
	// These tests wait more than they work.
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
	os.Exit(testenv.Main(m))
}

// installation is the program with a project and services.
type installation struct{ mcpclient.Installation }

func newInstallation(t *testing.T, databaseURL, ollamaHost string) installation {
	t.Helper()
	return installation{mcpclient.Installation{
		Program: testenv.Program(t), Root: t.TempDir(), Home: t.TempDir(), DatabaseURL: databaseURL, OllamaHost: ollamaHost,
		Environment: []string{"CDOCS_LOG_LEVEL=warn"},
	}}
}

// server is a running server with its client.
type server struct {
	*mcpclient.Client

	t *testing.T
}

// serve starts a server, and waits until its index is complete.
func (in installation) serve(t *testing.T) server {
	t.Helper()
	command := in.Command("serve")
	command.Stderr = t.Output() // shown with the test that failed
	client, err := mcpclient.Start(t.Context(), command)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil && t.Context().Err() == nil {
			t.Error("close the server:", err)
		}
	})
	if err := client.Activate(t.Context(), in.Config(), "main"); err != nil {
		t.Fatal(err)
	}
	return server{Client: client, t: t}
}

// fails calls a tool that does not succeed.
func (s server) fails(tool string, arguments map[string]any) *mcpclient.ToolError {
	s.t.Helper()
	text, err := s.Text(s.t.Context(), tool, arguments)
	failure, ok := errors.AsType[*mcpclient.ToolError](err)
	if !ok {
		s.t.Fatalf("%s answers %s and %v, want an error", tool, text, err)
	}
	return failure
}

// waitUntilFound waits until a search for a word finds the document about it.
func waitUntilFound(t *testing.T, s server, word, path string) {
	t.Helper()
	await.Until(t, "the document about "+word+" is found", func() bool {
		text, err := s.Text(t.Context(), "semantic_search", map[string]any{"query": word, "min_relevance_score": 0.0, "limit": 1})
		return err == nil && strings.Contains(text, path)
	})
}

// save writes a document about one word into the project, and returns its path.
func (in installation) save(t *testing.T, word string) (path string) {
	t.Helper()
	path = "csharp-compounding-docs/insights/" + word + ".md"
	gitrepo.At(t, in.Root).Put(path, strings.ReplaceAll(`---
title: About WORD
date: 2026-01-15
summary: What we know about WORD
significance: behavioral
insight_type: business_logic
impact_area: WORD
---

Everything WORD: WORD, and WORD again.
`, "WORD", word))
	return "./" + path
}
