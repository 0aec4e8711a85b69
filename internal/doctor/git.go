package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/compound-docs/compound-docs/internal/claude"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/workspace"
)

// crashedGit is the age from which git's lock is worth a warning: a git that runs holds it
// for moments. Indexing, which would take half-written files, waits for longer.
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
	lock, since, err := head.Lock()
	switch {
	case err != nil:
		return fixAccess(err.Error(), lock, "")
	case since.IsZero():
		return one(OK, "branch "+head.Branch, "")
	}
	age := time.Since(since).Round(time.Second)
	if age < crashedGit {
		return one(OK, fmt.Sprintf("branch %s; git is changing the files", head.Branch), "")
	}
	effect := fmt.Sprintf("indexing waits until it is %d minutes old", int(workspace.MaxLockAge.Minutes()))
	var run [][]string // not while the git may be one that waits for an editor
	if age >= workspace.MaxLockAge {
		effect = "indexing goes on"
		run = [][]string{{"rm", lock}}
	}
	return one(Warning,
		fmt.Sprintf("a git that crashed has left its lock, %s old: git refuses to work, and %s", age, effect),
		"run: rm "+claude.Quote(lock)+", after you have made sure that no git runs there", run...)
}
