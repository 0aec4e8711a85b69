package project

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/history"
)

// detachedBranch is the value of [GitHead.Branch] for a detached HEAD. git rev-parse --abbrev-ref prints this word too.
const detachedBranch = "HEAD"

// maxGitFileBytes bounds the small files of a git folder: HEAD, a ref, a .git file.
const maxGitFileBytes = 8 << 10

var errDamagedHead = errors.New("it holds neither a branch nor a commit; git status says what is wrong with the repository")

// GitHead is what a work tree has checked out.
type GitHead struct {
	// Branch is the branch's short name, such as feature/x. During a rebase it is the rebased branch. It is
	// "HEAD" for a detached HEAD, and "" outside a repository.
	Branch       string
	InRepository bool
	HeadFile     string   // absolute path of HEAD of this work tree
	refFiles     []string // files that may hold the commit of the branch, for Stamp
}

// Stamp returns a text that changes when the checked-out commit changes. It compares only times and sizes of
// files, so it can also change while the commit stays the same.
func (h GitHead) Stamp() string {
	var stamp strings.Builder
	stamp.WriteString(h.Branch)
	for _, file := range append([]string{h.HeadFile}, h.refFiles...) {
		info, err := os.Stat(file)
		if err != nil {
			continue
		}
		fmt.Fprintf(&stamp, " %d:%d", info.ModTime().UnixNano(), info.Size())
	}
	return stamp.String()
}

// gitDirs names the folders of a work tree and of its git files.
type gitDirs struct {
	top    string // folder of the work tree
	own    string // folder of HEAD and the other files of one work tree
	common string // folder of the refs; differs from own only in a linked work tree
}

// Lock returns the path of the lock file that git holds while it changes the work tree, and the time when git took the
// lock. The time is zero if nobody holds the lock. A git that crashed leaves its lock file behind.
func (h GitHead) Lock() (file string, since time.Time, err error) {
	if !h.InRepository {
		return "", time.Time{}, nil
	}
	file = filepath.Join(filepath.Dir(h.HeadFile), "index.lock")
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return file, time.Time{}, nil
	}
	if err != nil {
		return file, time.Time{}, fmt.Errorf("look at git's lock: %w", err)
	}
	return file, info.ModTime(), nil
}

// Head reads what is checked out at root, which may be below the top of a work tree. Outside a repository it returns
// the zero GitHead. If a file HEAD cannot be read or understood, the error wraps a [*fs.PathError].
func Head(root string) (GitHead, error) {
	dirs, err := findGit(root)
	if err != nil || dirs.own == "" {
		return GitHead{}, err
	}
	head := GitHead{InRepository: true, HeadFile: filepath.Join(dirs.own, "HEAD")}
	text, err := readGitFile(head.HeadFile)
	if err != nil {
		return GitHead{}, fmt.Errorf("read git HEAD: %w", err)
	}
	if text == reftableStub {
		text, err = askHead(dirs.top)
		if err != nil {
			return GitHead{}, &fs.PathError{Op: "read", Path: head.HeadFile, Err: err}
		}
		head.refFiles = []string{reftableList(dirs.own), reftableList(dirs.common)}
	}
	ref, attached := strings.CutPrefix(text, "ref:")
	ref = strings.TrimSpace(ref)
	switch {
	case attached && isRefName(ref):
		head.Branch = shortName(ref)
		head.refFiles = append(head.refFiles,
			filepath.Join(dirs.common, filepath.FromSlash(ref)), filepath.Join(dirs.common, "packed-refs"))
	case !attached && isCommit(text):
		head.Branch = cmp.Or(dirs.rebasing(), detachedBranch)
	default:
		return GitHead{}, &fs.PathError{Op: "read", Path: head.HeadFile, Err: errDamagedHead}
	}
	return head, nil
}

// reftableStub is the content of the file HEAD if the refs are in a reftable, a format that only git can read.
const reftableStub = "ref: refs/heads/.invalid"

// reftableList returns the file that lists the reftables of a git folder. The file changes with every change of a ref.
func reftableList(dir string) string { return filepath.Join(dir, "reftable", "tables.list") }

// askHead asks git for the HEAD of a work tree, and returns it in the form of a HEAD file.
func askHead(top string) (string, error) {
	folder, err := history.Open(top)
	if err != nil {
		return "", err
	}
	ctx := context.Background() // package history limits the time
	ref, refErr := folder.HeadRef(ctx)
	if refErr != nil { // HEAD is a commit, or git is too old for reftables
		ref, err = folder.Head(ctx)
	} else {
		ref = "ref: " + ref
	}
	if err != nil {
		return "", fmt.Errorf("its branch is in a reftable, for which git 2.45 or newer is needed: %w", err)
	}
	return ref, nil
}

// findGit looks for a repository in root and in the folders above root. The result is zero outside a repository.
func findGit(root string) (gitDirs, error) {
	for dir := root; ; dir = filepath.Dir(dir) {
		own, err := gitDirOf(dir)
		if own != "" {
			return gitDirs{top: dir, own: own, common: commonDir(own)}, nil
		}
		if err != nil || dir == filepath.Dir(dir) {
			return gitDirs{}, err
		}
	}
}

// InRepository reports whether a folder is in a git work tree, even a damaged one.
func InRepository(folder string) bool {
	dirs, err := findGit(folder)
	return err != nil || dirs.own != ""
}

// SameRepository reports whether two folders are in work trees of the same git repository.
func SameRepository(a, b string) bool {
	first, errFirst := findGit(a)
	second, errSecond := findGit(b)
	one, errOne := os.Stat(first.common)
	other, errOther := os.Stat(second.common)
	return errors.Join(errFirst, errSecond, errOne, errOther) == nil && os.SameFile(one, other)
}

// gitDirOf returns the git folder of the work tree with the top folder dir. It returns "" if dir is not the top of a
// work tree. In a linked work tree and in a submodule, .git is a file that names the git folder.
func gitDirOf(dir string) (string, error) {
	dotGit := filepath.Join(dir, ".git")
	info, err := os.Stat(dotGit)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("find git repository: %w", err)
	}
	own := dotGit
	if !info.IsDir() {
		text, err := readGitFile(dotGit)
		if err != nil {
			return "", fmt.Errorf("read %s: %w", dotGit, err)
		}
		target, ok := strings.CutPrefix(text, "gitdir:")
		if !ok {
			return "", fmt.Errorf("read %s: it is a file and does not begin with \"gitdir:\"; "+
				"if no repository belongs to it: rm %q", dotGit, dotGit)
		}
		own = filepath.FromSlash(strings.TrimSpace(target))
		if !filepath.IsAbs(own) {
			own = filepath.Join(dir, own)
		}
	}
	if _, err := os.Lstat(filepath.Join(own, "HEAD")); err != nil {
		if info.IsDir() { // git, too, ignores a folder .git without HEAD
			return "", nil
		}
		return "", fmt.Errorf("read %s: it names a git folder that is not there: %w; if the repository has moved, run in it: "+
			"git worktree repair %q; if it is gone: rm %q && git init %q", dotGit, err, dir, dotGit, dir)
	}
	return own, nil
}

// commonDir returns the folder with the refs of a work tree. own is the git folder of the work tree.
func commonDir(own string) string {
	text, err := readGitFile(filepath.Join(own, "commondir"))
	if err != nil || text == "" { // only linked work trees have this file
		return own
	}
	dir := filepath.FromSlash(text)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(own, dir)
	}
	return dir
}

// rebasing returns the short name of the branch that git is rebasing, or "".
func (d gitDirs) rebasing() string {
	for _, state := range []string{"rebase-merge", "rebase-apply"} {
		ref, err := readGitFile(filepath.Join(d.own, state, "head-name"))
		if err == nil && strings.HasPrefix(ref, "refs/heads/") && isRefName(ref) {
			return shortName(ref)
		}
	}
	return ""
}

// readGitFile returns the content of a small text file without surrounding space.
func readGitFile(file string) (string, error) {
	data, err := contain.ReadFile(file, maxGitFileBytes)
	return string(bytes.TrimSpace(data)), err
}

// isRefName reports whether a ref is safe as a path in a git folder and safe to print.
func isRefName(ref string) bool {
	return strings.HasPrefix(ref, "refs/") && path.Clean(ref) == ref && filepath.IsLocal(ref) &&
		!strings.ContainsFunc(ref, unicode.IsControl)
}

// shortName returns the name of a branch without refs/heads/, and any other ref without refs/.
func shortName(ref string) string {
	if name, ok := strings.CutPrefix(ref, "refs/heads/"); ok {
		return name
	}
	return strings.TrimPrefix(ref, "refs/")
}

func isCommit(text string) bool {
	return (len(text) == 40 || len(text) == 64) && strings.Trim(text, "0123456789abcdef") == ""
}

// ConflictLine returns the 1-based line of the first conflict mark (<<<<<<<) that git left in a text, or 0 without a
// conflict. Marks in code blocks do not count, because a document may explain such marks.
func ConflictLine(text []byte) int {
	first, divided, inCode := 0, false, false
	number := 0
	for line := range bytes.Lines(text) {
		number++
		switch {
		case bytes.HasPrefix(line, []byte("```")), bytes.HasPrefix(line, []byte("~~~")):
			inCode = !inCode
		case inCode:
		case bytes.HasPrefix(line, []byte("<<<<<<< ")):
			first, divided = number, false
		case bytes.HasPrefix(line, []byte("=======")):
			divided = first > 0
		case bytes.HasPrefix(line, []byte(">>>>>>> ")) && divided:
			return first
		}
	}
	return 0
}
