package main

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/compound-docs/compound-docs/internal/plain"
)

// lineInterval is the least time between two lines of one progress.
const lineInterval = time.Second

// showProgress returns a function that tells w how much of what has been handled, such
// as files of a folder, and how fast: with a bar on a terminal, with lines elsewhere. What
// was told last is not told again.
func showProgress(w io.Writer, what string) func(done, total int) {
	show := lines
	if plain.IsTerminal(w) {
		show = bar
	}
	tell := show(w, what)
	var last [2]int
	return func(done, total int) {
		if now := [2]int{done, total}; now != last {
			last = now
			tell(done, total)
		}
	}
}

// bar tells the progress with a bar.
func bar(w io.Writer, what string) func(done, total int) {
	var bar *progressbar.ProgressBar
	return func(done, total int) {
		if bar == nil && total > 0 {
			bar = progressbar.NewOptions(total,
				progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(what),
				progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetItsString(""),
				progressbar.OptionSetPredictTime(true),
				progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
		}
		if bar != nil {
			if bar.ChangeMax(max(total, 1)); int64(done) < bar.State().CurrentNum {
				bar.Reset() // it starts again, for example with another model
			}
			_ = bar.Set(done) // a bar that cannot be drawn is no reason to stop
		}
	}
}

// lines tells the progress in lines: the first and the last one, and one a second
// between them, with the mean rate since the first, or since it began again.
func lines(w io.Writer, what string) func(done, total int) {
	var first, last time.Time
	var before int
	return func(done, total int) {
		now := time.Now()
		if total == 0 || done != total && now.Sub(last) < lineInterval {
			return
		}
		if last = now; first.IsZero() || done < before { // it starts again, for example with another model
			first, before = now, done
		}
		rate := ""
		if took := now.Sub(first); took >= lineInterval {
			rate = fmt.Sprintf(", %.1f/s", float64(done-before)/took.Seconds())
		}
		plain.Printf(w, "%s: %d of %d%s\n", what, done, total, rate)
	}
}
