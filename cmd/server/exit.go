package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/rag/apierror"

	"github.com/spf13/cobra"
)

// Exit codes. compound-docs doctor has its own.
const (
	exitFailed = 1
	// exitUsage means that nothing was done, because the command line or a name in it is
	// wrong.
	exitUsage = 2
)

// usageError says what is wrong with the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, values ...any) error { return usageError{fmt.Errorf(format, values...)} }

// runError is an error of a command that has begun. Others are cobra's, about the
// command line.
type runError struct{ error }

func (e runError) Unwrap() error { return e.error }

// severityError ends the program with a code. Nothing is printed for it.
type severityError struct{ code int }

func (e severityError) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// interrupted is the cause of a context that was cancelled by a signal.
type interrupted struct{ signal os.Signal }

func (e interrupted) Error() string { return e.signal.String() }

func (interrupted) Unwrap() error { return context.Canceled }

// codeOfSignal returns the exit code with which a shell reports that a signal has ended a program.
func codeOfSignal(signal os.Signal) int {
	const base = 128
	if number, ok := signal.(syscall.Signal); ok {
		return base + int(number)
	}
	return base
}

// report prints on stderr why a command failed, unless that was printed already or is
// evident, and returns the exit code. A command whose output could not be written failed.
func report(ctx context.Context, command *cobra.Command, err error) int {
	_, ran := errors.AsType[runError](err)
	if out, ok := command.OutOrStdout().(*plain.Output); ok && out.Err() != nil {
		if _, judged := errors.AsType[severityError](err); !ran || judged {
			err, ran = runError{out.Err()}, true
		}
	}
	if err == nil {
		return 0
	}
	if severity, ok := errors.AsType[severityError](err); ok {
		return severity.code
	}
	if signal, ok := errors.AsType[interrupted](context.Cause(ctx)); ok {
		return codeOfSignal(signal.signal)
	}
	stderr := command.ErrOrStderr()
	problem, remedy, ok := strings.Cut(err.Error(), "; ")
	switch {
	case ran && ok && plain.IsTerminal(stderr):
		plain.Printf(stderr, "compound-docs: %s\n  → %s\n", plain.Hanging(stderr, len("compound-docs: "), problem), remedy)
	case ran:
		plain.Println(stderr, "compound-docs:", err)
	default:
		plain.Println(stderr, "compound-docs:", plain.Block(err.Error()))
		plain.Printf(stderr, "see `%s --help`\n", command.CommandPath())
	}
	if !ran || isUsage(err) {
		return exitUsage
	}
	return exitFailed
}

// isUsage reports whether the command line, or what it names, is wrong.
func isUsage(err error) bool {
	if _, ok := errors.AsType[usageError](err); ok {
		return true
	}
	refused, ok := errors.AsType[*apierror.Error](err)
	return ok && refused.Code.IsUsage()
}
