package tools

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Group is a chapter of docs/tools.md.
type Group struct {
	Title string
	Tools []Tool
}

// Tool is one tool: its declaration, as tools/list shows it, and its handler.
type Tool struct {
	*mcp.Tool

	addTo func(*mcp.Server, *handler)
}

// callHandler is the method that handles the calls of a tool.
type callHandler[In, Out any] func(*handler, context.Context, *mcp.CallToolRequest, In) (*mcp.CallToolResult, Out, error)

// newProjectTool is newTool for a tool whose answer depends on the active project.
func newProjectTool[In, Out any](handle callHandler[In, Out], declaration *mcp.Tool) Tool {
	return newTool(
		func(h *handler, ctx context.Context, request *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
			if ask := h.followRoots(ctx, request.Session, request.ClientCapabilities(), request.Params.InputResponses); ask != nil {
				var none Out
				return &mcp.CallToolResult{InputRequests: ask}, none, nil
			}
			return handle(h, ctx, request, in)
		}, declaration)
}

// newTool makes a tool of a declaration and the method that handles its calls.
func newTool[In, Out any](handle callHandler[In, Out], declaration *mcp.Tool) Tool {
	return Tool{Tool: declaration, addTo: func(server *mcp.Server, h *handler) {
		typed := func(ctx context.Context, request *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
			result, out, err := handle(h, ctx, request, in)
			if c, ok := any(out).(counted); ok && err == nil {
				noteResults(ctx, c.resultCount())
			}
			return result, out, err
		}
		mcp.AddTool(server, declaration, typed)
	}}
}
