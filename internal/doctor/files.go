package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/compound-docs/compound-docs/internal/document"
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
				findings = append(findings, fixAccess(what, e.absolute(file.Path), "correct its permissions")...)
				return
			}
			findings = append(findings, one(Error, what, "correct the file, or move it out of the folder")...)
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

// absolute returns where a file is that has this path in the index.
func (e *examination) absolute(path string) string {
	if path = filepath.FromSlash(path); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(e.project.Root, path)
}
