package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
)

// showProgress returns what tells w how many of the changed files of a folder
// have been handled: by a bar on a terminal, by a line a step elsewhere.
func showProgress(w io.Writer, folder string) func(done, total int) {
	if !isTerminal(w) {
		return func(done, total int) {
			if total > 0 {
				fmt.Fprintf(w, "%s: %d of %d changed files\n", folder, done, total)
			}
		}
	}
	var bar *progressbar.ProgressBar
	return func(done, total int) {
		if bar == nil && total > 0 {
			bar = progressbar.NewOptions(total,
				progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(folder),
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
