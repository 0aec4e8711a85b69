// Command compound-docs is the memory of a software project for AI coding assistants: an MCP server over stdio and a
// command line. It keeps an index in step with the project's markdown, and answers questions from it.
//
// Only this package makes the parts of the program and connects them.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/rag/apierror"
)

// version is set when the binary is linked.
var version = "dev"

// The program collects garbage when the heap is three times as large as its live data, and more often near
// softMemoryLimit. A sync makes much garbage but has little live data: see sync.memory in docs/benchmarks.md.
const (
	softMemoryLimit = 112 << 20
	garbagePercent  = 200
)

func main() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softMemoryLimit)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
	isHook := slices.Contains(os.Args, "--hook")
	if isHook {
		debug.SetTraceback("crash") // so that a crash ends the program by a signal, not with exit code 2
	}
	ctx, stop := onSignal(context.Background())
	command, err := newCommand(os.Stdout).ExecuteContextC(ctx)
	code := report(ctx, command, err)
	if isHook && code == exitUsage { // assistants take exit code 2 for a veto
		code = exitFailed
	}
	stop()
	os.Exit(code)
}

// Exit codes.
const (
	exitFailed = 1
	// exitUsage means that the command line, or a thing that it names, is wrong, and that nothing was done.
	exitUsage = 2
)

type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, values ...any) error { return usageError{fmt.Errorf(format, values...)} }

// runError wraps an error of a command that has begun. Any other error is about the command line.
type runError struct{ error }

func (e runError) Unwrap() error { return e.error }

// errFound ends the program with exitFailed and without a message, because the findings are already printed.
var errFound = errors.New("something is wrong")

// interrupted is the cause of a context that was cancelled by a signal.
type interrupted struct{ signal os.Signal }

func (e interrupted) Error() string { return e.signal.String() }

func (interrupted) Unwrap() error { return context.Canceled }

// codeOfSignal returns the exit code that shells report for a program ended by a signal: 128 plus the signal's number.
func codeOfSignal(signal os.Signal) int {
	const base = 128
	number, _ := signal.(syscall.Signal)
	return base + int(number)
}

// report prints why a command failed and returns the exit code. It prints nothing for errFound or after a signal. A
// command also fails if its output could not be written.
func report(ctx context.Context, command *cobra.Command, err error) int {
	_, ran := errors.AsType[runError](err)
	if out, ok := command.OutOrStdout().(*plain.Output); ok && out.Err() != nil {
		if !ran || errors.Is(err, errFound) {
			err, ran = runError{out.Err()}, true
		}
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errFound):
		return exitFailed
	}
	if signal, ok := errors.AsType[interrupted](context.Cause(ctx)); ok {
		return codeOfSignal(signal.signal)
	}
	stderr := command.ErrOrStderr()
	if ran {
		plain.Println(stderr, "compound-docs:", apierror.In(err, wordsOf(command)))
	} else {
		plain.Println(stderr, "compound-docs:", plain.Block(err.Error()))
		plain.Printf(stderr, "see `%s --help`\n", command.CommandPath())
	}
	_, usage := errors.AsType[usageError](err)
	refused, named := errors.AsType[*apierror.Error](err)
	if !ran || usage || named && refused.Code.IsUsage() {
		return exitUsage
	}
	return exitFailed
}

const (
	// grace is how long the program may take to end. A healthy program needs less than two seconds.
	grace = 3 * time.Second
	// For otherSignalWait after the first signal, the program ignores a signal of another kind, because Claude Code
	// sends SIGTERM shortly after SIGINT.
	otherSignalWait = time.Second
	// exitHung is the exit code of a program that did not end by itself.
	exitHung = 3
)

// mustEnd makes the program end with exitHung if it still runs after the given time. The database keeps committed work.
func mustEnd(reason string, after time.Duration) {
	time.AfterFunc(after, func() {
		logger := slog.New(slog.NewTextHandler(os.Stderr, nil))
		go logger.Error("the program hangs, and is ended", "reason", reason, "after", after, "code", exitHung)
		time.Sleep(100 * time.Millisecond) // time for the log line; a write to stderr may hang
		os.Exit(exitHung)
	})
}

// onSignal returns a context that ends with the first SIGINT or SIGTERM. A second signal ends the program at once,
// except a signal of another kind during otherSignalWait.
func onSignal(parent context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		first := <-signals
		began := time.Now()
		cancel(interrupted{first})
		mustEnd(first.String(), grace)
		for next := range signals {
			if next != first && time.Since(began) < otherSignalWait {
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
