package tools

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// PingInput has the parameters of ping.
type PingInput struct {
	Message *string `json:"message,omitempty" jsonschema:"Text to echo back."`
}

func pingTool() Tool {
	return newTool(ofServer, (*Handler).Ping, &mcp.Tool{
		Name:  "ping",
		Title: "Ping",
		Description: "Check that the server is running: answers `pong: ` and the message. Needs no project, database or " +
			"model, and says nothing about them.",
		Meta:        searchHint("is the server running"),
		Annotations: readOnly(),
		InputSchema: inputSchema[PingInput](map[string][]property{"message": {withDefault("ping")}}),
	})
}

// Ping returns "pong: " and the message. It needs no project, no database and no model.
func (h *Handler) Ping(_ context.Context, in PingInput) (string, error) {
	return "pong: " + valueOr(in.Message, "ping"), nil
}
