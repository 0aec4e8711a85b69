package main

import (
	"fmt"
	"io"
	"time"

	"github.com/compound-docs/compound-docs/internal/plain"
)

// lineInterval is the least time between two lines of one progress.
const lineInterval = time.Second

// showProgress returns a function that tells w how much of what has been handled, such as files
// of a folder: the first and the last count, and one a second between them, with the mean rate
// since the first, or since it began again. On a terminal a line takes the place of the one
// before. A count is told once.
func showProgress(w io.Writer, what string) func(done, total int) {
	format := "%s: %d of %d%s\n"
	if plain.IsTerminal(w) {
		format = "\r%s: %d of %d%s\x1b[K"
	}
	var first, last time.Time
	var before int
	var told [2]int
	return func(done, total int) {
		now := time.Now()
		if total == 0 || told == [2]int{done, total} || done != total && now.Sub(last) < lineInterval {
			return
		}
		told, last = [2]int{done, total}, now
		if first.IsZero() || done < before { // it starts again, for example with another model
			first, before = now, done
		}
		rate := ""
		if took := now.Sub(first); took >= lineInterval {
			rate = fmt.Sprintf(", %.1f/s", float64(done-before)/took.Seconds())
		}
		plain.Printf(w, format, what, done, total, rate)
		if done == total && plain.IsTerminal(w) {
			plain.Printf(w, "\n")
		}
	}
}
