package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Group is a chapter of docs/tools.md.
type Group struct {
	Title string
	Tools []Tool
}

// Tool is one tool: its declaration, and how it answers.
type Tool struct {
	*mcp.Tool

	parameters func() *parameters
	call       func(h *Handler, ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error)
}

// worded is an answer that clients get as text. They get all others as JSON.
type worded interface{ words() string }

// shortened is a long answer. Clients get a part of it, because a session pays for what it reads.
type shortened interface{ forClient() any }

// method is a tool's method of [Handler].
type method[In, Out any] func(h *Handler, ctx context.Context, in In) (Out, error)

// kind says what a tool's calls depend on.
type kind int

const (
	ofServer  kind = iota // nothing else
	ofProject             // the active project
	ofModel               // and the language model: these calls take long, and have their own turns
)

// newTool makes a tool of its method and its declaration. It does what the SDK could do: the SDK's check stops at the
// first fault, and it reads every answer again.
func newTool[In, Out any](kind kind, method method[In, Out], declaration *mcp.Tool) Tool {
	// The parameters are made at the first call: the handshake does not wait for them.
	parameters := sync.OnceValue(func() *parameters { return newParameters(declaration) })
	call := func(h *Handler, ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		limit, turns := callTimeout(declaration.Name), h.turns
		if kind == ofModel {
			limit, turns = writingTime, h.writing
		}
		if kind != ofServer {
			select {
			case turns <- struct{}{}:
				defer func() { <-turns }()
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
			if _, root := h.workspace.Current(); root == "" {
				limit = max(limit, longestStart)
			}
		}
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		if kind != ofServer {
			ask := h.followRoots(ctx, request.Session, request.ClientCapabilities(), request.Params.InputResponses)
			if ask != nil {
				return &mcp.CallToolResult{InputRequests: ask}, nil
			}
		}
		var in In
		if err := parameters().decode(request.Params.Arguments, &in); err != nil {
			return nil, err
		}
		out, err := method(h, withNotifications(ctx, request, h.logger), in)
		if err != nil {
			return nil, err
		}
		result, err := resultOf(out)
		if err != nil {
			return nil, err
		}
		if note := h.parentNote(); note != "" && kind != ofServer {
			result.Content = append(result.Content, &mcp.TextContent{Text: note})
		}
		return result, nil
	}
	return Tool{declaration, parameters, call}
}

// parentNote says that the active project is in a folder above the repository where the server was started.
// It returns "" for other projects.
func (h *Handler) parentNote() string {
	if h.repository == "" {
		return ""
	}
	name, root := h.workspace.Current()
	below, err := filepath.Rel(root, h.repository)
	if root == "" || err != nil || below == "." || !filepath.IsLocal(below) {
		return ""
	}
	return fmt.Sprintf("The answer is from the project %s in %s, a folder above the repository %s. "+
		"To have a project for this repository, run in a shell: compound-docs init %q", name, root, h.repository, h.repository)
}

// writingTime is for calls that wait for the language model. Package model bounds its silence.
const writingTime = time.Hour

// longestStart is how long the call that activates the project may take: PostgreSQL may have to start, and the
// documents to be read. A page may take as long. Clients give up after a minute.
const longestStart = 45 * time.Second

// callTimeout returns how long a call of a tool may take, unless the language model writes the answer.
func callTimeout(tool string) time.Duration {
	switch tool {
	case "activate_project", "index_document", "update_promotion_level":
		return 15 * time.Second
	case "delete_documents":
		return time.Minute
	default: // recall ends sooner
		return 5 * time.Second
	}
}

// resultOf encodes the answer of a tool.
func resultOf(out any) (*mcp.CallToolResult, error) {
	if text, ok := out.(worded); ok {
		return textResult(text.words()), nil
	}
	if long, ok := out.(shortened); ok {
		out = long.forClient()
	}
	encoded, err := readable(out)
	if err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	answer := textResult(string(encoded)) // for clients that read only text
	answer.StructuredContent = json.RawMessage(encoded)
	return answer, nil
}

// textResult returns an answer that is one text.
func textResult(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}
