package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

// output is the stdout of a command that prints for people or for a pipe. When the pipe
// is closed, as by head, the rest is dropped: that is no error. What could command a
// terminal is replaced.
type output struct {
	to     io.Writer
	closed bool
}

// newOutput has writes to a closed pipe return an error; by default they end the
// program.
func newOutput(to io.Writer) *output {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // ignored, but not by programs that this one starts
	return &output{to: to}
}

func (o *output) Write(text []byte) (int, error) {
	if o.closed {
		return len(text), nil
	}
	_, err := o.to.Write(sanitize(text))
	if errors.Is(err, syscall.EPIPE) {
		o.closed = true
		err = nil
	}
	return len(text), err
}

// nobodyReads reports whether what is written to w is dropped.
func nobodyReads(w io.Writer) bool {
	o, ok := w.(*output)
	return ok && o.closed
}

func isTerminal(stream any) bool {
	if o, ok := stream.(*output); ok {
		stream = o.to
	}
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// style marks parts of a text for people.
type style struct{ colours bool }

// styleFor returns the style for w: colours on a terminal that has them, unless NO_COLOR
// is set (https://no-color.org).
func styleFor(w io.Writer) style {
	return style{isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

func (s style) bold(text string) string   { return s.mark("1", text) }
func (s style) dim(text string) string    { return s.mark("2", text) }
func (s style) yellow(text string) string { return s.mark("33", text) }

func (s style) mark(code, text string) string {
	if !s.colours || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func printJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("print JSON: %w", err)
	}
	return nil
}
