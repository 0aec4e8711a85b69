// Command tooldocs writes docs/tools.md: what tools/list declares, with an
// example call and the errors of each tool from the transcripts that the tests
// of package tools keep. It runs in the repository's root.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/tools"
)

const (
	transcripts = "tools/testdata"
	page        = "docs/tools.md"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "tooldocs:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	content, err := generate(ctx, ".")
	if err != nil {
		return err
	}
	return os.WriteFile(page, content, 0o644)
}

// generate returns the page, of the repository at root.
func generate(ctx context.Context, root string) ([]byte, error) {
	declared, err := list(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the tools: %w", err)
	}
	known := make(map[string]tool, len(declared))
	for _, d := range declared {
		t, err := newTool(d)
		if err != nil {
			return nil, fmt.Errorf("read the declaration of %s: %w", d.Name, err)
		}
		if t.exchanges, err = readTranscript(filepath.Join(root, transcripts, d.Name+".golden")); err != nil {
			return nil, err
		}
		known[d.Name] = t
	}
	return render(known)
}

// list asks a server for its tools, as a client does. None is called, so the
// server needs no session.
func list(ctx context.Context) (declared []*mcp.Tool, err error) {
	server := tools.NewServer(nil, "docs", slog.New(slog.DiscardHandler))
	serverSide, clientSide := mcp.NewInMemoryTransports()
	running, err := server.Connect(ctx, serverSide, nil)
	if err != nil {
		return nil, err
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "tooldocs"}, nil).Connect(ctx, clientSide, nil)
	if err != nil {
		return nil, err
	}
	// The server's side ends with the client's.
	defer func() { err = errors.Join(err, client.Close(), running.Wait()) }()
	result, err := client.ListTools(ctx, nil)
	if err != nil {
		return nil, err
	}
	return result.Tools, nil
}

// exchange is a call in a transcript, with its answer, its text or its error.
type exchange struct {
	Case      string          `json:"case"`
	Arguments json.RawMessage `json:"arguments"`
	Answer    json.RawMessage `json:"answer"`
	Text      string          `json:"text"`
	Error     *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func (e exchange) succeeds() bool { return e.Error == nil }

func readTranscript(path string) ([]exchange, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var exchanges []exchange
	if err := json.Unmarshal(content, &exchanges); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if !slices.ContainsFunc(exchanges, exchange.succeeds) {
		return nil, fmt.Errorf("%s has no example of a call that succeeds", path)
	}
	return exchanges, nil
}
