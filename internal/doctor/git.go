package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/compound-docs/compound-docs/internal/claude"
	"github.com/compound-docs/compound-docs/internal/project"
)

// crashedGit is the age of git's lock from which no git holds it: a running one holds it
// for moments.
const crashedGit = time.Minute

// checkGit looks at what is checked out, and for a lock that a crashed git has left.
func checkGit(_ context.Context, e *examination) []Finding {
	head, err := project.Head(e.Root)
	if err != nil {
		return one(Error, err.Error(), "run: git -C "+claude.Quote(e.Root)+" status")
	}
	if !head.InRepository {
		return one(OK, e.Root+" is not in a git repository; the branch is what activate_project says", "")
	}
	lock := filepath.Join(filepath.Dir(head.HeadFile), "index.lock")
	info, err := os.Stat(lock)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return one(OK, "branch "+head.Branch, "")
	case err != nil:
		return one(Error, err.Error(), fixAccess(lock, ""))
	}
	age := time.Since(info.ModTime()).Round(time.Second)
	if age < crashedGit {
		return one(OK, fmt.Sprintf("branch %s; git is changing the files", head.Branch), "")
	}
	return one(Warning,
		fmt.Sprintf("a git that crashed has left its lock, %s old: indexing waits for it, and git refuses to work", age),
		"run: rm "+claude.Quote(lock)+", after you have made sure that no git runs there")
}
