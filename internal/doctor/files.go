package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/compound-docs/compound-docs/internal/workspace"
)

// maxNamed bounds the findings of one kind.
const maxNamed = 5

// visit calls f for every file that is to be indexed and every folder that is watched.
func (e *examination) visit(ctx context.Context, f func(path string, dir bool, err error)) error {
	for _, folder := range workspace.Folders(e.project) {
		if err := folder.Visit(ctx, f); err != nil {
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
	err := e.visit(ctx, func(path string, dir bool, err error) {
		if !dir {
			files++
		}
		if err == nil {
			return
		}
		if unreadable++; unreadable <= maxNamed {
			fix := "correct the file, or move it out of the folder"
			if errors.Is(err, fs.ErrPermission) {
				fix = fixAccess(path, "correct its permissions")
			}
			findings = append(findings, Finding{Severity: Error, What: "not indexed: " + err.Error(), Fix: fix})
		}
	})
	if err != nil {
		return one(Error, err.Error(), "")
	}
	if unreadable > maxNamed {
		findings = append(findings, Finding{
			Severity: Error, What: fmt.Sprintf("%d more files or folders are not indexed", unreadable-maxNamed),
			Fix: "correct these first, and run compound-docs doctor again",
		})
	}
	if unreadable == 0 {
		findings = one(OK, fmt.Sprintf("all %d files can be read", files), "")
	}
	return findings
}
