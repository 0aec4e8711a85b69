package tools

import (
	"context"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// progressInterval is the least time between two notifications of one call.
const progressInterval = 250 * time.Millisecond

// progress tells the client how far a call has come, if it asked to be told.
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

// notify sends a notification unless the last one was just sent or done has not
// grown, as the protocol asks. A total of 0 is unknown.
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
