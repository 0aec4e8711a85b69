package plain

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

// Output is the stdout of a command. If stdout is a pipe and its reader, such as the program head, ends early, Output
// drops the rest of the text without an error. [Output.Err] returns any other error.
type Output struct {
	to     io.Writer
	closed bool
	err    error
}

// NewOutput returns an Output. It keeps SIGPIPE from ending the program.
func NewOutput(to io.Writer) *Output {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // programs that we start would inherit signal.Ignore
	return &Output{to: to}
}

// Write writes a text. It does not fail if the pipe is closed.
func (o *Output) Write(text []byte) (int, error) {
	if o.closed {
		return len(text), nil
	}
	n, err := o.to.Write(text)
	if errors.Is(err, syscall.EPIPE) {
		o.closed = true
		return len(text), nil
	}
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// Err returns the first error of a write, such as to a full disk.
func (o *Output) Err() error { return o.err }

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	if o, ok := stream.(*Output); ok {
		stream = o.to
	}
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
