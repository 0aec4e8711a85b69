package doctor

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"syscall"

	"github.com/fsnotify/fsnotify"

	"github.com/compound-docs/compound-docs/internal/workspace"
)

// checkWatches watches every folder that is indexed, for a moment.
func checkWatches(ctx context.Context, e *examination) []Finding {
	if e.project == nil {
		return one(Skipped, "there is no valid configuration", "")
	}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return runs(Warning, "no more watchers can be made, so that folders are listed every five seconds: "+err.Error(),
			"sudo", "sysctl", "fs.inotify.max_user_instances=1024")
	}
	folders, watched := 0, 0
	var failed error
	watch := func(dir string) {
		folders++
		err := watcher.Add(dir)
		switch {
		case err == nil:
			watched++
		case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EMFILE):
			failed = err
		}
	}
	for _, folder := range workspace.Folders(e.project) {
		err = errors.Join(err, folder.Folders(ctx, watch))
	}
	if err = errors.Join(err, watcher.Close()); err != nil {
		return one(Warning, err.Error(), "")
	}
	if failed != nil {
		what := fmt.Sprintf("the system has watches for %d of %d folders left, so that folders are listed every five seconds "+
			"instead: %v", watched, folders, failed)
		if runtime.GOOS != "linux" { // a watch takes an open file for each file of a folder
			return one(Warning, what, "run: ulimit -n 65536, in the shell that starts the assistant")
		}
		return one(Warning, what,
			"run: sudo sysctl fs.inotify.max_user_watches=524288 (to keep it: echo fs.inotify.max_user_watches=524288 | "+
				"sudo tee /etc/sysctl.d/60-watches.conf)", []string{"sudo", "sysctl", "fs.inotify.max_user_watches=524288"})
	}
	return one(OK, fmt.Sprintf("changes in %d folders are noticed", watched), "")
}
