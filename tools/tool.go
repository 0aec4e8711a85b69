package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

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
	// call makes a call. results is the number of results in the answer, or noResults.
	call func(h *handler, ctx context.Context, request *mcp.CallToolRequest) (answer *mcp.CallToolResult, results int, err error)
}

// noResults is the number of results in an answer that is not a list of them.
const noResults = -1

// counted is an answer with a list of results, whose number is logged.
type counted interface{ resultCount() int }

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
	call := func(h *handler, ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, int, error) {
		var in In
		if err := checked().decode(request.Params.Arguments, &in); err != nil {
			return nil, noResults, err
		}
		answer, out, err := handle(h, ctx, request, in)
		if err != nil {
			return nil, noResults, err
		}
		results := noResults
		if list, ok := any(out).(counted); ok {
			results = list.resultCount()
		}
		if answer == nil {
			answer, err = structured(out)
		}
		return answer, results, err
	}
	return Tool{Tool: declaration, parameters: checked, call: call}
}

// textResult returns an answer that is one text.
func textResult(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// structured returns an answer as JSON, and the same as text for clients that read only
// text.
func structured(answer any) (*mcp.CallToolResult, error) {
	encoded, err := readable(answer)
	if err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	result := textResult(string(encoded))
	result.StructuredContent = json.RawMessage(encoded)
	return result, nil
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
