package tools

import (
	"context"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Progress says how far a call is.
type Progress struct {
	// Total is 0 if it is unknown.
	Done, Total int
	Message     string
	// Text is the newest piece of an answer that the language model writes, or "".
	Text string
}

type progressKey struct{}

// WithProgress returns a context. A method of [Handler] that gets this context calls onProgress.
func WithProgress(ctx context.Context, onProgress func(Progress)) context.Context {
	return context.WithValue(ctx, progressKey{}, onProgress)
}

// reportProgress calls the function of [WithProgress], if there is one.
func reportProgress(ctx context.Context, p Progress) {
	if onProgress, ok := ctx.Value(progressKey{}).(func(Progress)); ok {
		onProgress(p)
	}
}

// progressInterval is the minimum time between two notifications of one call.
const progressInterval = 250 * time.Millisecond

// withNotifications is WithProgress for an MCP client that asked for progress. It notifies the client at most once in
// progressInterval, and at the end. It drops a notification if Done has not grown, because the protocol forbids that.
func withNotifications(ctx context.Context, request *mcp.CallToolRequest, logger *slog.Logger) context.Context {
	token := request.Params.GetProgressToken()
	if token == nil {
		return ctx
	}
	var last time.Time
	done := -1
	return WithProgress(ctx, func(p Progress) {
		if p.Done <= done || time.Since(last) < progressInterval && p.Done != p.Total {
			return
		}
		last, done = time.Now(), p.Done
		err := request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: float64(p.Done), Total: float64(p.Total), Message: p.Message,
		})
		if err != nil {
			logger.DebugContext(ctx, "notify progress", "error", err)
		}
	})
}
