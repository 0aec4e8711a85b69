package tools

import (
	"context"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

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
