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

// newTool makes a tool of a declaration and the method that handles its calls.
func newTool[In, Out any](
	handle func(*handler, context.Context, *mcp.CallToolRequest, In) (*mcp.CallToolResult, Out, error), declaration *mcp.Tool,
) Tool {
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
