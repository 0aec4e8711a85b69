package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
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

	// parameters checks arguments. It is made at the first call: the handshake does not
	// wait for it.
	parameters func() *parameters
	handle     func(*handler) mcp.ToolHandler
}

// callHandler is the method that handles the calls of a tool. Its answer is the result,
// if that has content, or else what it returns beside it, as JSON.
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

// newTool makes a tool of a declaration and the method that handles its calls. The SDK
// could do the same, but its check of arguments stops at the first fault, and it reads
// every answer again to compare it with its schema, for which the tests are there.
func newTool[In, Out any](handle callHandler[In, Out], declaration *mcp.Tool) Tool {
	checked := sync.OnceValue(func() *parameters { return newParameters(declaration) })
	return Tool{Tool: declaration, parameters: checked, handle: func(h *handler) mcp.ToolHandler {
		return func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var in In
			err := checked().decode(request.Params.Arguments, &in)
			if err != nil {
				return failed(err), nil
			}
			result, out, err := handle(h, ctx, request, in)
			var protocol *jsonrpc.Error
			switch {
			case errors.As(err, &protocol):
				return nil, err
			case err != nil:
				return failed(err), nil
			}
			if c, ok := any(out).(counted); ok {
				noteResults(ctx, c.resultCount())
			}
			if result != nil {
				return result, nil
			}
			return structured(out)
		}
	}}
}

// failed returns an error for [reportErrors].
func failed(err error) *mcp.CallToolResult {
	result := &mcp.CallToolResult{}
	result.SetError(err)
	return result
}

// structured returns an answer as JSON, and the same as text for clients that read only
// text.
func structured(answer any) (*mcp.CallToolResult, error) {
	encoded, err := readable(answer)
	if err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	return &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: string(encoded)}},
		StructuredContent: json.RawMessage(encoded),
	}, nil
}

// progressInterval is the minimum time between two notifications of one call.
const progressInterval = 250 * time.Millisecond

// progress sends progress notifications for one call, if the client asked for them.
type progress struct {
	request *mcp.CallToolRequest
	token   any
	logger  *slog.Logger
	last    time.Time
	done    int
}

func newProgress(request *mcp.CallToolRequest, logger *slog.Logger) *progress {
	return &progress{request: request, token: request.Params.GetProgressToken(), logger: logger, done: -1}
}

// notify sends a notification, at most one per progressInterval except for the last.
// It sends none if done has not grown, as the protocol demands. A total of 0 means
// that the total is not known.
func (p *progress) notify(ctx context.Context, done, total int, message string) {
	if p.token == nil || done <= p.done || (time.Since(p.last) < progressInterval && done != total) {
		return
	}
	p.last, p.done = time.Now(), done
	err := p.request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
		ProgressToken: p.token, Progress: float64(done), Total: float64(total), Message: message,
	})
	if err != nil {
		p.logger.DebugContext(ctx, "notify progress", "error", err)
	}
}
