package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

const (
	// grace is how long the program has to end. It needs less than two seconds; after
	// grace, something hangs that cannot be interrupted.
	grace = 3 * time.Second
	// escalation is the time after a signal within which a signal of the other kind belongs
	// to the same request: Claude Code sends SIGTERM shortly after SIGINT.
	escalation = time.Second
	// exitHung is the exit code of a program that did not end by itself.
	exitHung = 3
)

// ending ends the program when it is time, whatever hangs. What is committed stays;
// the database rolls back the rest.
type ending struct {
	stderr io.Writer
	once   sync.Once
}

// mustEnd ends the program after grace, counted from the first call.
func (e *ending) mustEnd(reason string) {
	e.once.Do(func() {
		time.AfterFunc(grace, func() {
			said := make(chan struct{})
			go func() {
				defer close(said)
				slog.New(slog.NewTextHandler(e.stderr, nil)).Error("the program does not end by itself and is ended",
					"reason", reason, "after", grace, "code", exitHung)
			}()
			select { // stderr may be what hangs
			case <-said:
			case <-time.After(100 * time.Millisecond):
			}
			os.Exit(exitHung)
		})
	})
}

// onSignal returns a context that ends with the first SIGINT or SIGTERM; its cause is an
// [interrupted]. A second signal ends the program at once, unless it is of the other kind and
// comes within escalation of the first.
func (e *ending) onSignal(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		first := <-signals
		began := time.Now()
		cancel(interrupted{first})
		e.mustEnd(first.String())
		for next := range signals {
			if next != first && time.Since(began) < escalation {
				continue
			}
			os.Exit(codeOfSignal(next))
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}
