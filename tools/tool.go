package tools

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Group is tools that belong together.
type Group struct {
	Title string
	Tools []Tool
}

// Tool is a tool as tools/list declares it, with what answers its calls.
type Tool struct {
	*mcp.Tool

	addTo func(*mcp.Server, *handler)
}

// newTool pairs a declaration with the method that answers its calls.
func newTool[In, Out any](
	answer func(*handler, context.Context, *mcp.CallToolRequest, In) (*mcp.CallToolResult, Out, error), declaration *mcp.Tool,
) Tool {
	return Tool{Tool: declaration, addTo: func(server *mcp.Server, h *handler) {
		mcp.AddTool(server, declaration, func(ctx context.Context, request *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
			result, out, err := answer(h, ctx, request, in)
			if c, ok := any(out).(counted); ok && err == nil {
				noteResults(ctx, c.resultCount())
			}
			return result, out, err
		})
	}}
}
