package main

import (
	"io"
	"time"

	"github.com/compound-docs/compound-docs/internal/plain"
)

// lineInterval is the minimum time between two lines about the same work.
const lineInterval = time.Second

// showProgress returns a function that writes lines such as "files: 3 of 10" to w. In this line, label is "files". The
// function writes at the beginning, at most once every lineInterval, and at the end.
func showProgress(w io.Writer, label string) func(done, total int) {
	var last time.Time
	var told [2]int
	return func(done, total int) {
		if total == 0 || told == [2]int{done, total} || done != total && time.Since(last) < lineInterval {
			return
		}
		told, last = [2]int{done, total}, time.Now()
		plain.Printf(w, "%s: %d of %d\n", label, done, total)
	}
}
