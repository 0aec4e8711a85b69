package doctor

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	// maxNamed bounds the findings of one kind.
	maxNamed = 5
	// maxWalked bounds the look into a large folder.
	maxWalked = 200_000
)

// folders are those of a project that are indexed, with what belongs to them. They need
// not exist.
func (e *examination) folders() map[string]func(name string) (belongs, prune bool) {
	folders := map[string]func(string) (bool, bool){
		filepath.Join(e.project.Root, e.project.DocsDir()): func(name string) (bool, bool) {
			return strings.EqualFold(filepath.Ext(name), ".md"), false
		},
	}
	if external, ok := e.project.External(); ok {
		folders[external.Dir] = func(name string) (bool, bool) { return external.Match(name), external.Prune(name) }
	}
	return folders
}

// walk calls visit for the folders and files that are indexed, and for those that cannot
// be looked at, with an error.
func (e *examination) walk(ctx context.Context, visit func(path string, d fs.DirEntry, err error)) error {
	walked := 0
	for dir, belongs := range e.folders() {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if walked++; walked > maxWalked {
				return fs.SkipAll
			}
			name, relErr := filepath.Rel(dir, path)
			if relErr != nil || ctx.Err() != nil {
				return fs.SkipAll
			}
			if d == nil { // the folder does not exist, or cannot be looked at
				if !os.IsNotExist(err) {
					visit(path, nil, err)
				}
				return nil
			}
			is, prune := belongs(filepath.ToSlash(name))
			switch {
			case name != "." && strings.HasPrefix(d.Name(), "."), d.IsDir() && prune:
				if d.IsDir() {
					return fs.SkipDir
				}
			case d.IsDir() || is || err != nil:
				visit(path, d, err)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// checkFiles opens every file that is to be indexed.
func checkFiles(ctx context.Context, e *examination) []Finding {
	if e.project == nil {
		return one(Skipped, "there is no valid configuration", "")
	}
	var findings []Finding
	files, unreadable := 0, 0
	err := e.walk(ctx, func(path string, d fs.DirEntry, err error) {
		if err == nil && d.Type().IsRegular() {
			files++
			err = readable(path)
		}
		if err == nil {
			return
		}
		if unreadable++; unreadable <= maxNamed {
			findings = append(findings, Finding{
				Severity: Error, What: "cannot be read, and is not indexed: " + err.Error(), Fix: fixAccess(path, "correct its permissions"),
			})
		}
	})
	if err != nil {
		return one(Error, err.Error(), "")
	}
	if unreadable > maxNamed {
		findings = append(findings, Finding{
			Severity: Error, What: fmt.Sprintf("%d more files or folders cannot be read", unreadable-maxNamed),
			Fix: "run: sudo chown -R " + currentUser() + " on the folder that has them",
		})
	}
	if unreadable == 0 {
		findings = one(OK, fmt.Sprintf("all %d files can be read", files), "")
	}
	return findings
}

func readable(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return file.Close()
}
