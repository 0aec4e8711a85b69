// Package panics turns panics into errors, so that a panic caused by one file does not end the process. It must know no
// other package of the module.
package panics

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"
)

// Error is a recovered panic with its value and the stack of its goroutine.
type Error struct {
	Value any
	Stack []byte
}

func (e *Error) Error() string {
	return fmt.Sprintf(
		"internal error (%v); this item was skipped; please report it, with the file if you can", e.Value)
}

// Catch calls f and returns its error, or an [*Error] if f panics.
func Catch(f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &Error{Value: value, Stack: debug.Stack()}
		}
	}()
	return f()
}

// restartDelay is how long a task waits after a panic.
const restartDelay = time.Second

// Restart runs f. After each panic it logs the panic and the name of the task, and runs f again unless ctx has ended.
func Restart(ctx context.Context, logger *slog.Logger, name string, f func()) {
	for {
		err, panicked := Catch(func() error { f(); return nil }).(*Error) //nolint:errorlint // Catch does not wrap it
		if !panicked {
			return
		}
		logger.ErrorContext(ctx, "a bug stopped the task, which starts again",
			"task", name, "panic", err.Value, "stack", string(err.Stack))
		select {
		case <-ctx.Done():
			return
		case <-time.After(restartDelay):
		}
	}
}
