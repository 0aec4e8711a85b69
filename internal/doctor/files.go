package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/compound-docs/compound-docs/internal/claude"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/workspace"
)

// maxNamed bounds the findings of one kind.
const maxNamed = 5

// readAll calls take for every file that is to be indexed, and for every folder that cannot
// be looked into.
func (e *examination) readAll(ctx context.Context, take func(file document.File, err error)) error {
	for _, folder := range workspace.Folders(e.project) {
		if err := folder.ReadAll(ctx, take); err != nil {
			return err
		}
	}
	return nil
}

// checkFiles reads every file that is to be indexed.
func checkFiles(ctx context.Context, e *examination) []Finding {
	if e.project == nil {
		return one(Skipped, "there is no valid configuration", "")
	}
	var findings []Finding
	files, unreadable := 0, 0
	err := e.readAll(ctx, func(file document.File, err error) {
		files++
		if err == nil || errors.Is(err, document.ErrChanged) {
			return
		}
		if unreadable++; unreadable <= maxNamed {
			what := "not indexed: " + err.Error()
			if errors.Is(err, fs.ErrPermission) {
				findings = append(findings, fixAccess(what, e.absolute(file.Path), "move it out of the folder")...)
				return
			}
			findings = append(findings, one(Error, what, "correct the file, or move it out of the folder")...)
		}
	})
	if err != nil {
		return one(Error, err.Error(), "")
	}
	if unreadable > maxNamed {
		findings = append(findings, one(Error, fmt.Sprintf("%d more files or folders are not indexed", unreadable-maxNamed),
			"correct these first, and run compound-docs doctor again")...)
	}
	if unreadable == 0 {
		findings = one(OK, fmt.Sprintf("all %d files can be read", files), "")
	}
	return findings
}

// absolute returns where a file is that has this path in the index.
func (e *examination) absolute(path string) string {
	if path = filepath.FromSlash(path); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(e.project.Root, path)
}

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
	if age >= workspace.MaxLockAge {
		effect = "indexing goes on"
	}
	return one(Warning,
		fmt.Sprintf("a git that crashed has left its lock, %s old: git refuses to work, and %s", age, effect),
		"run: rm "+claude.Quote(lock)+", after you have made sure that no git runs there")
}
