package plain

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"unicode/utf8"

	"golang.org/x/term"
)

// usualWidth is for a terminal of unknown width.
const usualWidth = 80

// Fold breaks a text between words into lines that fit a terminal behind indent columns. For other writers
// it returns one line. Do not fold text that people copy.
func Fold(w io.Writer, indent int, text string) []string {
	const least = 20
	text = Line(text)
	room := width(w) - indent
	if room < least {
		return []string{text}
	}
	var lines []string
	line := ""
	for word := range strings.SplitSeq(text, " ") {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > room {
			lines, line = append(lines, line), word
			continue
		}
		line += strings.Repeat(" ", min(1, len(line))) + word
	}
	return append(lines, line)
}

// Hanging is Fold for one text on a line whose first indent columns are taken.
func Hanging(w io.Writer, indent int, text string) Marked {
	return Marked(strings.Join(Fold(w, indent, text), "\n"+strings.Repeat(" ", indent)))
}

// width returns the columns of a terminal, and 0 for other writers.
func width(w io.Writer) int {
	file := terminal(w)
	if file == nil {
		return 0
	}
	columns, _, err := term.GetSize(int(file.Fd()))
	if err != nil || columns <= 0 {
		return usualWidth
	}
	return columns
}

// Output is the stdout of a command. If the reader closes the pipe, as head does, it drops the rest without
// an error. [Output.Err] returns any other error.
type Output struct {
	to     io.Writer
	closed bool
	err    error
}

// NewOutput returns an Output. It keeps SIGPIPE from ending the program.
func NewOutput(to io.Writer) *Output {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // ignored, but not by programs that this one starts
	return &Output{to: to}
}

// Write never fails for a closed pipe.
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

// NobodyReads reports whether text written to w is dropped.
func NobodyReads(w io.Writer) bool {
	o, ok := w.(*Output)
	return ok && o.closed
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool { return terminal(stream) != nil }

// terminal returns the file of a terminal, and nil for other streams.
func terminal(stream any) *os.File {
	if o, ok := stream.(*Output); ok {
		stream = o.to
	}
	if file, ok := stream.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return file
	}
	return nil
}
