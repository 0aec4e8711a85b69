package tools

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type pingInput struct {
	Message *string `json:"message,omitempty" jsonschema:"Text to echo back."`
}

func pingTool() Tool {
	return newTool((*handler).ping, &mcp.Tool{
		Name:  "ping",
		Title: "Ping",
		Description: "Check that the server is running: answers `pong: ` and the message. Needs no project, database or " +
			"model, and says nothing about them.",
		Meta:        searchHint("is the server running"),
		Annotations: readOnly(),
		InputSchema: inputSchema[pingInput](map[string][]property{"message": {withDefault("ping")}}),
	})
}

func (h *handler) ping(_ context.Context, _ *mcp.CallToolRequest, in pingInput) (*mcp.CallToolResult, any, error) {
	return textResult("pong: " + valueOr(in.Message, "ping")), nil, nil
}
