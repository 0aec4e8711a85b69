package main

import (
	"io"
	"slices"
	"time"

	"github.com/compound-docs/compound-docs/internal/plain"
)

// lineInterval is the least time between two lines about the same work.
const lineInterval = time.Second

// clearProgress removes an unfinished line of progress from a terminal.
func clearProgress(w io.Writer) {
	if plain.IsTerminal(w) {
		plain.Printf(w, "%s", plain.Marked(clearLine))
	}
}

const clearLine = "\r\x1b[K"

// overProgress writes lines of the log to a terminal. A line of the log replaces an unfinished line of progress. The
// progress appears again with its next count.
type overProgress struct{ terminal io.Writer }

func (o overProgress) Write(line []byte) (int, error) {
	n, err := o.terminal.Write(slices.Concat([]byte(clearLine), line))
	return max(0, n-len(clearLine)), err
}

// showProgress returns a function that writes progress to w, as in "files: 3 of 10". what names the work. It writes at
// the beginning, at most once a second, and at the end. On a terminal each line replaces the one before.
func showProgress(w io.Writer, what string) func(done, total int) {
	format := "%s: %d of %d\n"
	if plain.IsTerminal(w) {
		format = "\r%s: %d of %d\x1b[K"
	}
	var last time.Time
	var told [2]int
	return func(done, total int) {
		if total == 0 || told == [2]int{done, total} || done != total && time.Since(last) < lineInterval {
			return
		}
		told, last = [2]int{done, total}, time.Now()
		plain.Printf(w, format, what, done, total)
		if done == total && plain.IsTerminal(w) {
			plain.Printf(w, "\n")
		}
	}
}
