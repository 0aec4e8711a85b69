package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
)

// showProgress returns a function that tells w how much of what has been handled, such
// as files of a folder: with a bar on a terminal, with a line for each step elsewhere.
func showProgress(w io.Writer, what string) func(done, total int) {
	if !isTerminal(w) {
		return func(done, total int) {
			if total > 0 {
				fmt.Fprintf(w, "%s: %d of %d\n", what, done, total)
			}
		}
	}
	var bar *progressbar.ProgressBar
	return func(done, total int) {
		if bar == nil && total > 0 {
			bar = progressbar.NewOptions(total,
				progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(what),
				progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true),
				progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
		}
		if bar != nil {
			_ = bar.Set(done) // a bar that cannot be drawn is no reason to stop
		}
	}
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
