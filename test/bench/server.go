package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// server is the program, running, with a client that talks to it over stdio.
type server struct {
	command *exec.Cmd
	session *mcp.ClientSession
}

// startServer starts the program on a database and an Ollama. The caller closes it.
func (e *environment) startServer(ctx context.Context, databaseURL, ollamaHost string) (*server, error) {
	return startProgram(ctx, e.serverCommand(databaseURL, ollamaHost))
}

func (e *environment) serverCommand(databaseURL, ollamaHost string) *exec.Cmd {
	command := exec.Command(e.program, "serve", "--log-level", "warn", //nolint:noctx // ends when its stdin does
		"--database-url", databaseURL, "--ollama-host", ollamaHost)
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + e.dir, "CDOCS_HOME=" + filepath.Join(e.dir, "home")}
	command.Stderr = os.Stderr
	return command
}

// startProgram starts an MCP server and shakes hands with it.
func startProgram(ctx context.Context, command *exec.Cmd) (*server, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", command.Path, err)
	}
	return &server{command: command, session: session}, nil
}

// close ends the server as Claude Code does, by closing its stdin.
func (s *server) close() error { return s.session.Close() }

// call calls a tool and decodes its answer, unless that is nil.
func (s *server) call(ctx context.Context, tool string, arguments map[string]any, answer any) error {
	result, err := s.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return fmt.Errorf("call %s: %w", tool, err)
	}
	text, ok := result.Content[0].(*mcp.TextContent)
	if !ok || result.IsError {
		return fmt.Errorf("call %s: %v", tool, result.Content[0])
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal([]byte(text.Text), answer)
}

// indexPoll is how often a sync that outlasts the activation is looked at.
const indexPoll = 20 * time.Millisecond

// activate makes the repository active and waits until its index holds all of
// its documents.
func (s *server) activate(ctx context.Context, r *repository, branch string) error {
	var answer struct {
		Index *indexStatus `json:"index"`
	}
	err := s.call(ctx, "activate_project", map[string]any{"config_path": r.config(), "branch_name": branch}, &answer)
	for err == nil && answer.Index != nil {
		if answer.Index.FailedCount > 0 || answer.Index.Waiting != "" {
			return fmt.Errorf("sync %s: %+v", r.root, *answer.Index)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(indexPoll):
		}
		answer.Index = nil
		err = s.call(ctx, "list_doc_types", map[string]any{}, &answer)
	}
	return err
}

type indexStatus struct {
	Pending     int    `json:"pending"`
	FailedCount int    `json:"failed_count"`
	Failed      []any  `json:"failed"`
	Waiting     string `json:"waiting"`
}

// search asks for ten documents whatever their relevance, and requires them.
func (s *server) search(ctx context.Context, query string) error {
	var answer struct {
		Results []struct{} `json:"results"`
	}
	arguments := map[string]any{"query": query, "limit": searchLimit, "min_relevance_score": 0}
	if err := s.call(ctx, "semantic_search", arguments, &answer); err != nil {
		return err
	}
	if len(answer.Results) != searchLimit {
		return fmt.Errorf("search %q: %d results, want %d", query, len(answer.Results), searchLimit)
	}
	return nil
}

// searchLimit is the default of the tool.
const searchLimit = 10
