// Package mcpclient starts the real program and talks to it over stdio, as Claude
// Code does: for tests, the demo and the benchmarks. It knows the protocol, the
// environment that the program reads, and of the answers only their errors and how
// far the index is behind.
package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/test/tail"
)

// Client is a running server with a client, which has its session's methods too.
type Client struct {
	*mcp.ClientSession

	// Log is the end of what the server writes to stderr. It is empty if the command has its own Stderr.
	Log *tail.Buffer

	command *exec.Cmd
}

// Installation is the program with all that it reads beside its arguments.
type Installation struct {
	Program string // path of the binary
	Root    string // folder of the project
	Home    string // folder of the program's own files
	// DatabaseURL and OllamaHost are the services.
	DatabaseURL, OllamaHost string
	// Environment holds further variables.
	Environment []string
}

// Config is the path of the project's config file.
func (in Installation) Config() string {
	return filepath.Join(in.Root, ".csharp-compounding-docs", "config.json")
}

// Command is the program with arguments, in the project's folder.
func (in Installation) Command(arguments ...string) *exec.Cmd {
	command := exec.Command(in.Program, arguments...) //nolint:gosec,noctx // ours; ends when its stdin does, or by itself
	command.Dir = in.Root
	command.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + in.Home, "CDOCS_HOME=" + in.Home,
		"CDOCS_DATABASE_URL=" + in.DatabaseURL, "CDOCS_OLLAMA_HOST=" + in.OllamaHost,
	}, in.Environment...)
	return command
}

// Start starts a server and returns when it has answered the handshake of the newest
// version of the protocol, or of another one with StartVersion. The caller closes or
// kills it.
func Start(ctx context.Context, command *exec.Cmd) (*Client, error) {
	return StartVersion(ctx, command, "")
}

// StartVersion is Start for a version of the protocol, such as 2025-11-25.
func StartVersion(ctx context.Context, command *exec.Cmd, version string) (*Client, error) {
	c := &Client{command: command, Log: &tail.Buffer{}}
	if command.Stderr == nil {
		command.Stderr = c.Log
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(ctx, &mcp.CommandTransport{Command: command}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		return nil, fmt.Errorf("start %s: %w\n%s", command.Path, err, c.Log)
	}
	c.ClientSession = session
	return c, nil
}

// Process is the server's.
func (c *Client) Process() *os.Process { return c.command.Process }

// Kill ends the server as a crash does. Close, of the session, ends it as Claude Code
// does, by closing its stdin.
func (c *Client) Kill() {
	_ = c.command.Process.Kill() // fails if it has ended, which is as well
	_ = c.Close()                // reports the kill
}

// ToolError is the answer of a tool that failed.
type ToolError struct {
	Tool    string         `json:"-"`
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details"`
}

func (e *ToolError) Error() string {
	return fmt.Sprintf("%s fails with %s: %s (%v)", e.Tool, e.Code, e.Message, e.Details)
}

// Answer calls a tool and returns the text of its answer, or of its error if it fails.
func (c *Client) Answer(ctx context.Context, tool string, arguments map[string]any) (text string, failed bool, err error) {
	result, err := c.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return "", false, fmt.Errorf("call %s: %w", tool, err)
	}
	if len(result.Content) != 1 {
		return "", false, fmt.Errorf("call %s: %d pieces of content, want one text", tool, len(result.Content))
	}
	content, ok := result.Content[0].(*mcp.TextContent)
	if !ok {
		return "", false, fmt.Errorf("call %s: %T, want a text", tool, result.Content[0])
	}
	return content.Text, result.IsError, nil
}

// Text is Answer for a tool that succeeds. One that fails gives a [*ToolError].
func (c *Client) Text(ctx context.Context, tool string, arguments map[string]any) (string, error) {
	text, failed, err := c.Answer(ctx, tool, arguments)
	if err != nil || !failed {
		return text, err
	}
	failure := &ToolError{Tool: tool}
	if err := json.Unmarshal([]byte(text), failure); err != nil {
		return "", fmt.Errorf("call %s: %w in %s", tool, err, text)
	}
	return "", failure
}

// Call is Text for a tool that answers with JSON, which is decoded. A nil answer is
// not looked at.
func (c *Client) Call(ctx context.Context, tool string, arguments map[string]any, answer any) error {
	text, err := c.Text(ctx, tool, arguments)
	if err != nil || answer == nil {
		return err
	}
	if err := json.Unmarshal([]byte(text), answer); err != nil {
		return fmt.Errorf("call %s: %w in %s", tool, err, text)
	}
	return nil
}

// Index is how far an index is behind, as answers report it.
type Index struct {
	Pending     int    `json:"pending"`
	Embedding   int    `json:"embedding"`
	FailedCount int    `json:"failed_count"`
	Failed      []any  `json:"failed"`
	Waiting     string `json:"waiting"`
}

// Index returns how far the index of the active project is behind, and nil if it is not.
func (c *Client) Index(ctx context.Context) (*Index, error) {
	var answer struct {
		Index *Index `json:"index"`
	}
	err := c.Call(ctx, "list_doc_types", nil, &answer)
	return answer.Index, err
}

// WaitForText returns when words find every document of the active project.
func (c *Client) WaitForText(ctx context.Context) error {
	for {
		index, err := c.Index(ctx)
		if err != nil || index == nil || index.Pending == 0 {
			return err
		}
		time.Sleep(often)
	}
}

// often is the time between two looks at an index.
const often = 20 * time.Millisecond

// Activate activates the project of a config file, and returns when its index holds
// all of its documents with their vectors, however long that takes. It fails if the
// index waits for long, as it does for a moment after a crash of the database, or if
// nothing has changed in it for [stuck].
func (c *Client) Activate(ctx context.Context, config, branch string) error {
	const long = 5 * time.Second
	if err := c.Call(ctx, "activate_project", map[string]any{"config_path": config, "branch_name": branch}, nil); err != nil {
		return err
	}
	var waits time.Time // since when
	moved, before := time.Now(), Index{}
	for {
		index, err := c.Index(ctx)
		if err != nil || index == nil {
			return err
		}
		switch {
		case index.Waiting == "":
			waits = time.Time{}
		case waits.IsZero():
			waits = time.Now()
		}
		if index.Pending != before.Pending || index.Embedding != before.Embedding {
			moved, before = time.Now(), *index
		}
		if index.FailedCount > 0 || !waits.IsZero() && time.Since(waits) > long || time.Since(moved) > stuck {
			return fmt.Errorf("the index of %s stays behind: %+v", config, *index)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: the index of %s is behind: %+v", context.Cause(ctx), config, *index)
		case <-time.After(often):
		}
	}
}

// stuck is the time without any progress after which an index will not become whole.
// On a busy machine, the texts that a model is measured with take minutes.
const stuck = 5 * time.Minute
