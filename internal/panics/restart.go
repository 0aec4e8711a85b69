package panics

import (
	"context"
	"log/slog"
	"time"
)

// restartDelay is how long a task waits after a panic.
const restartDelay = time.Second

// Restart runs f, and again after each panic, until f returns or ctx ends. name
// says in the log what f does.
func Restart(ctx context.Context, logger *slog.Logger, name string, f func()) {
	for {
		err, panicked := Catch(func() error { f(); return nil }).(*Error) //nolint:errorlint // Catch returns it as it is
		if !panicked {
			return
		}
		logger.ErrorContext(ctx, "a bug was met; the task is started again",
			"task", name, "panic", err.Value, "stack", string(err.Stack))
		select {
		case <-ctx.Done():
			return
		case <-time.After(restartDelay):
		}
	}
}
