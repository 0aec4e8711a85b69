package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/rag"
)

// Exit codes. compound-docs doctor has its own.
const (
	exitFailed = 1
	// exitUsage says that nothing was done, since the command line or a name in it is
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

// severityError ends the program with a code, when all was said.
type severityError struct{ code int }

func (e severityError) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// interrupted is the cause of a context that a signal has ended.
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

// report says on stderr why a command has failed, unless that was said or is plain, and
// returns the exit code.
func report(ctx context.Context, command *cobra.Command, err error) int {
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
	fmt.Fprintf(stderr, "%s", sanitize(fmt.Appendln(nil, "compound-docs:", err)))
	_, ran := errors.AsType[runError](err)
	if !ran {
		fmt.Fprintf(stderr, "see `%s --help`\n", command.CommandPath())
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
	refused, ok := errors.AsType[*rag.Error](err)
	if !ok {
		return false
	}
	switch refused.Code {
	case rag.InvalidArgument, rag.InvalidDocType, rag.DocumentNotFound, rag.ExternalDocsNotPromotable:
		return true
	default:
		return false
	}
}
