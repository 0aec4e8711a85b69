package doctor

import (
	"context"
	"errors"
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

// tree is a folder that is indexed, which need not exist. Paths are relative to it.
type tree struct {
	dir            string
	belongs, prune func(name string) bool
}

func (e *examination) trees() []tree {
	trees := []tree{{
		dir:     filepath.Join(e.project.Root, e.project.DocsDir()),
		belongs: func(name string) bool { return strings.EqualFold(filepath.Ext(name), ".md") },
		prune:   func(string) bool { return false },
	}}
	if external, ok := e.project.External(); ok {
		trees = append(trees, tree{dir: external.Dir, belongs: external.Match, prune: external.Prune})
	}
	return trees
}

// walk calls visit for the folders and files that are indexed, and for those that cannot
// be looked at, with an error.
func (e *examination) walk(ctx context.Context, visit func(path string, d fs.DirEntry, err error)) error {
	for _, tree := range e.trees() {
		walked := 0
		err := filepath.WalkDir(tree.dir, func(path string, d fs.DirEntry, err error) error {
			if walked++; walked > maxWalked || ctx.Err() != nil {
				return fs.SkipAll
			}
			if d == nil {
				if !errors.Is(err, fs.ErrNotExist) {
					visit(path, nil, err)
				}
				return nil
			}
			if tree.skips(path, d) {
				if d.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
			visit(path, d, err)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// skips reports whether a file, or a folder with all that is in it, is not indexed.
func (t tree) skips(path string, d fs.DirEntry) bool {
	name, err := filepath.Rel(t.dir, path)
	if err != nil || name == "." {
		return err != nil
	}
	name = filepath.ToSlash(name)
	if strings.HasPrefix(d.Name(), ".") {
		return true
	}
	if d.IsDir() {
		return t.prune(name)
	}
	return !t.belongs(name)
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
