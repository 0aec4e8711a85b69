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

// Tool is one tool: its declaration, its parameters, and the function that answers a call.
type Tool struct {
	*mcp.Tool

	kind       kind
	parameters func() *parameters
	call       func(h *Handler, ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error)
}

// shortened is an answer with a shorter form for MCP clients, because a session spends tokens on all that it reads.
type shortened interface{ forClient() any }

// method is a tool's method of [Handler].
type method[In, Out any] func(h *Handler, ctx context.Context, in In) (Out, error)

// kind says what a tool's calls depend on.
type kind int

const (
	ofServer  kind = iota // needs only the server
	ofProject             // needs the active project
	ofModel               // also needs the language model: these calls take long, and have their own turns
)

// newTool makes a tool from its method and its declaration. It replaces mcp.AddTool from the SDK, which reports only
// the first fault of the arguments and decodes every answer again.
func newTool[In, Out any](kind kind, method method[In, Out], declaration *mcp.Tool) Tool {
	// The parameters are compiled at the first call, so that the handshake does not wait.
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
		given, err := parameters().given(request.Params.Arguments)
		if err != nil {
			return nil, err
		}
		var in In
		if err := json.Unmarshal(encode(given), &in); err != nil { // the type In allows less than the schema
			return nil, fmt.Errorf("decode the arguments of %s: %w", declaration.Name, err)
		}
		out, err := method(h, withNotifications(ctx, request, h.logger), in)
		if err != nil {
			return nil, err
		}
		return h.resultOf(kind, out)
	}
	return Tool{declaration, kind, parameters, call}
}

// parentNote returns a note if the server was started in a repository below the active project, and otherwise "".
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

// writingTime limits a call of the language model. It is long: package model ends a call early if the model is silent.
const writingTime = time.Hour

// longestStart limits a call while no project is active, and each request for the page. Such a call may have to start
// PostgreSQL and read the documents. Clients give up after a minute.
const longestStart = 45 * time.Second

// callTimeout returns how long a call may take. It does not apply to tools that use the language model.
func callTimeout(tool string) time.Duration {
	switch tool {
	case "activate_project", "index_document", "update_promotion_level":
		return 15 * time.Second
	case "delete_documents":
		return time.Minute
	default: // recall has its own shorter limit
		return 5 * time.Second
	}
}

// resultOf encodes the answer of a tool: a string as plain text, and anything else as JSON.
func (h *Handler) resultOf(kind kind, out any) (*mcp.CallToolResult, error) {
	if long, ok := out.(shortened); ok {
		out = long.forClient()
	}
	if text, ok := out.(string); ok {
		return textResult(text), nil
	}
	encoded, err := readable(out)
	if err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	answer := textResult(string(encoded)) // for clients that read only text
	answer.StructuredContent = json.RawMessage(encoded)
	if note := h.parentNote(); note != "" && kind != ofServer {
		answer.Content = append(answer.Content, &mcp.TextContent{Text: note})
	}
	return answer, nil
}

func textResult(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}
