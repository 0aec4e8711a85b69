package project

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/contain"
)

// Limits on what is read of a repository's refs.
const (
	maxBranches        = 1_000
	maxPackedRefsBytes = 32 << 20
)

const branchPrefix = "refs/heads/"

// Branches returns the sorted short names of at most 1,000 local branches of the repository that
// root is in. It is meant for messages: unreadable branches are left out, and outside a repository
// the list is empty.
func Branches(root string) []string {
	dirs, found, err := findGit(root)
	if err != nil || !found {
		return []string{}
	}
	names := map[string]bool{}
	heads := filepath.Join(dirs.common, "refs", "heads")
	if folder, err := contain.Open(heads); err == nil {
		defer folder.Close()                                                  //nolint:errcheck // opened for reading only
		_ = folder.Walk(func(name string, entry fs.DirEntry, _ error) error { // what can't be read is left out
			if len(names) >= maxBranches {
				return fs.SkipAll
			}
			if entry.Type().IsRegular() && isRefName(branchPrefix+name) {
				names[name] = true
			}
			return nil
		})
	}
	_ = dirs.packedRefs(func(ref string) bool { // what can't be read is left out
		if name, ok := strings.CutPrefix(ref, branchPrefix); ok {
			names[name] = true
		}
		return len(names) < maxBranches
	})
	return append([]string{}, slices.Sorted(maps.Keys(names))...)
}

// packedRefs calls yield for each ref in packed-refs until it returns false. On error, yield was not
// called for all of them.
func (d gitDirs) packedRefs(yield func(ref string) bool) error {
	name := filepath.Join(d.common, "packed-refs")
	file, err := contain.OpenFile(name, maxPackedRefsBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read git refs: %s: %w", name, err)
	}
	defer file.Close() //nolint:errcheck // opened for reading only
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		commit, ref, ok := strings.Cut(lines.Text(), " ")
		if !ok || !isCommit(commit) || !isRefName(ref) { // a comment, or the commit that a tag peels to
			continue
		}
		if !yield(ref) {
			return nil
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read git refs: %w", err)
	}
	return nil
}

// isRefName reports whether a ref is safe to use as a path below a git folder. It is stricter than
// git check-ref-format.
func isRefName(ref string) bool {
	if !strings.HasPrefix(ref, "refs/") || strings.HasSuffix(ref, ".lock") || strings.ContainsAny(ref, "\\:*?[~^ \x7f") {
		return false
	}
	for part := range strings.SplitSeq(ref, "/") {
		if part == "" || strings.HasPrefix(part, ".") {
			return false
		}
	}
	return !strings.Contains(ref, "..") && !strings.ContainsFunc(ref, func(r rune) bool { return r < ' ' })
}

// shortName returns a ref as git shows it: a branch without refs/heads/.
func shortName(ref string) string {
	if name, ok := strings.CutPrefix(ref, branchPrefix); ok {
		return name
	}
	return strings.TrimPrefix(ref, "refs/")
}

// isCommit reports whether text is a SHA-1 or SHA-256 in hexadecimal.
func isCommit(text string) bool {
	return (len(text) == 40 || len(text) == 64) && strings.Trim(text, "0123456789abcdef") == ""
}
