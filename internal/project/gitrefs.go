package project

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/compound-docs/compound-docs/internal/contain"
)

// maxPackedRefsBytes limits what is read of a repository's refs.
const maxPackedRefsBytes = 32 << 20

const branchPrefix = "refs/heads/"

// HasBranch reports whether the repository that root is in has a local branch with a short name.
// It is true where that cannot be read, and false outside a repository.
func HasBranch(root, name string) bool {
	dirs, found, err := findGit(root)
	if err != nil || !found {
		return err != nil
	}
	has, err := dirs.hasBranch(name)
	return err != nil || has
}

// hasBranch reports whether the branch with a short name exists. git writes packed-refs before it
// removes the branch's own file, so the file has to be looked for first.
func (d gitDirs) hasBranch(name string) (bool, error) {
	ref := branchPrefix + name
	if !isRefName(ref) {
		return false, nil
	}
	info, err := os.Stat(filepath.Join(d.common, filepath.FromSlash(ref)))
	switch {
	case err == nil && info.Mode().IsRegular():
		return true, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
		return false, fmt.Errorf("look for branch %s: %w", name, err)
	}
	found := false
	err = d.packedRefs(func(packed string) bool {
		found = packed == ref
		return !found
	})
	return found, err
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
