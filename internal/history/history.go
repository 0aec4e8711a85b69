// Package history reads git's history of a folder's files. It also finds stale documents: a document cites places of
// the repository, such as lines 12 to 20 of src/pool.go, and such a place may have changed since. The package must not
// know what documents say, or the database.
//
// The checkout and its git configuration may be hostile. So git runs without hooks, pager, network, helper programs and
// optional locks, in a fresh environment. The time and the output of git are limited.
//
// A cited place is compared with the commit in which the document last changed its date or a line about the place's
// file. Other edits of the document do not count. While an edit that counts is uncommitted, the place is not checked.
// The package does not run git diff on the work tree, because git diff would run the repository's filters.
package history

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
)

// ErrNone means that there is no history: no git, no repository, or no commit.
var ErrNone = errors.New("there is no git history")

// Beyond these limits, a run of git fails. Git lists a history of a million commits within seconds.
const (
	maxTime   = 10 * time.Second
	maxOutput = 32 << 20 // bytes
)

// Folder is a folder of a checkout.
type Folder struct {
	// top is the nearest folder upwards with a .git. Git runs in top, to ignore subfolders that imitate a repository.
	top  string
	name string // path of the folder relative to top, with / separators; "." for top itself
}

// Open returns the folder dir of a checkout. dir is absolute. The error is [ErrNone] if dir is in no repository.
func Open(dir string) (Folder, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return Folder{}, fmt.Errorf("find the repository: %w", err)
	}
	for top := dir; ; top = filepath.Dir(top) {
		_, err := os.Lstat(filepath.Join(top, ".git"))
		switch {
		case err == nil:
			name, err := filepath.Rel(top, dir)
			return Folder{top: top, name: filepath.ToSlash(name)}, err
		case !errors.Is(err, fs.ErrNotExist):
			return Folder{}, fmt.Errorf("find the repository: %w", err)
		case top == filepath.Dir(top):
			return Folder{}, ErrNone
		}
	}
}

// Head quickly returns the hash of the checked-out commit. The error is [ErrNone] if there is no commit yet.
func (f Folder) Head(ctx context.Context) (string, error) {
	return f.ask(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
}

// HeadRef returns the ref of the checked-out branch, such as refs/heads/main. The branch may have no commit yet. The
// error is [ErrNone] if a commit is checked out instead of a branch.
func (f Folder) HeadRef(ctx context.Context) (string, error) {
	return f.ask(ctx, "symbolic-ref", "--quiet", "HEAD")
}

// HasBranch reports whether the repository has a local branch. name is the branch's short name, such as main.
func (f Folder) HasBranch(ctx context.Context, name string) (bool, error) {
	_, err := f.ask(ctx, "show-ref", "--verify", "--quiet", "refs/heads/"+name)
	if errors.Is(err, ErrNone) && !errors.Is(err, errNoGit) {
		return false, nil
	}
	return err == nil, err
}

// Shallow reports whether the clone has only the newest commits. The oldest commit in it then seems to add every file.
func (f Folder) Shallow(ctx context.Context) (bool, error) {
	answer, err := f.ask(ctx, "rev-parse", "--is-shallow-repository")
	return answer == "true", err
}

// ask runs git and returns the output without the space around it. See [Folder.run] for the error.
func (f Folder) ask(ctx context.Context, arguments ...string) (string, error) {
	var answer strings.Builder
	err := f.run(ctx, func(output io.Reader) error {
		_, err := io.Copy(&answer, output)
		return err
	}, arguments...)
	return strings.TrimSpace(answer.String()), err
}

// Added returns the day on which each file of the folder was added, such as 2026-01-02. The keys are the paths of the
// files in the folder. The day is by the clock of the commit's author. Added follows the history back from commit, and
// includes files that were removed since. A file that was moved within the folder, without another change in that
// commit, keeps its day. If include is not empty, it has the paths of the files and folders that count.
func (f Folder) Added(ctx context.Context, commit string, include ...string) (map[string]string, error) {
	dates := map[string]string{}
	err := f.history(ctx, commit, "AR", include, func(name string, c change) { dates[name] = c.date }) // the oldest comes last
	return dates, err
}

// Changed returns the day of the last change of each file of the folder. Neither the addition of a file nor a move that
// changes no byte counts as a change. Parameters and result have the form of [Folder.Added].
func (f Folder) Changed(ctx context.Context, commit string, include ...string) (map[string]string, error) {
	dates := map[string]string{}
	err := f.history(ctx, commit, "MTR", include, func(name string, c change) {
		if dates[name] == "" {
			dates[name] = c.date
		}
	})
	return dates, err
}

// maxTouches bounds the versions that [Folder.Touched] returns of each file.
const maxTouches = 20

// Touched returns the last versions of each markdown file, newest first, by the file's path in the folder. It follows
// the history back from commit, and includes removed files. A move that changes no byte makes no new version.
func (f Folder) Touched(ctx context.Context, commit string) (map[string][]Version, error) {
	touched := map[string][]Version{}
	err := f.history(ctx, commit, "AMTR", nil, func(name string, c change) {
		isMarkdown := slices.Contains([]string{".md", ".mdx", ".markdown"}, strings.ToLower(path.Ext(name)))
		if isMarkdown && len(touched[name]) < maxTouches {
			touched[name] = append(touched[name], Version{Commit: c.commit, Path: c.path})
		}
	})
	return touched, err
}

// history calls visit for each change of a file, from the newest commit to the oldest. It skips moves and merges. kinds
// are letters of git's --diff-filter, such as A for added files. name is the present path of the changed file.
func (f Folder) history(
	ctx context.Context, commit, kinds string, include []string, visit func(name string, c change),
) error {
	paths := []string{f.name}
	if len(include) > 0 {
		paths = nil
	}
	for _, name := range include {
		paths = append(paths, path.Join(f.name, name))
	}
	now := map[string]string{} // present paths of moved files, by former paths
	arguments := slices.Concat([]string{
		"log", "--format=" + mark + "%H %ad", "--date=short", "--no-notes", "--no-mailmap",
		// Only files with equal bytes count as moved. Git finds such files without reading them.
		"--find-renames=100%",
	}, f.listing(kinds), []string{commit, "--"}, paths)
	return f.run(ctx, func(output io.Reader) error {
		return parseLog(output, func(c change) {
			name, moved := now[c.path]
			if !moved {
				name = norm.NFC.String(c.path) // package watch writes paths in this form
			}
			if c.from == "" {
				visit(name, c)
				return
			}
			delete(now, c.path)
			now[c.from] = name
		})
	}, arguments...)
}

// listing returns the options with which git lists changes in the format that [parseLog] reads. kinds are letters of
// git's --diff-filter. Listed paths are relative to the folder.
func (f Folder) listing(kinds string) []string {
	relative := "--relative" // relative to top, where git runs
	if f.name != "." {
		relative += "=" + f.name + "/"
	}
	return []string{
		"-z", "--name-status", "--diff-filter=" + kinds, "--no-ext-diff", "--no-textconv", "--no-color",
		"--ignore-submodules=all", "-O/dev/null", relative,
	}
}

// mark is the first character of each commit in git's output. No change begins with mark.
const mark = "\x01"

// change describes how a file of the folder was changed.
type change struct {
	commit, date string // "" in a diff of two commits; date is by the author's clock, such as 2026-01-02
	path         string // relative to the folder, with / separators
	from         string // the path before, if the file was moved; "" otherwise
}

// parseLog reads the output of git log or git diff-tree, and calls visit for each change. Each field of the output ends
// with a NUL. A commit is one field: mark, hash and date. A change is two fields: the kind and the path. A move is
// three fields: the kind, the old path and the new path. Empty fields are skipped.
func parseLog(output io.Reader, visit func(change)) error {
	fields := bufio.NewScanner(output)
	fields.Split(splitNUL)
	var commit, date string
	for fields.Scan() {
		field := fields.Text()
		if head, ok := strings.CutPrefix(field, mark); ok {
			commit, date, _ = strings.Cut(head, " ")
			continue
		}
		kind := strings.TrimPrefix(field, "\n") // the first change of a commit begins with a line break
		if kind == "" {
			continue
		}
		c := change{commit: commit, date: date}
		if kind[0] == 'R' && fields.Scan() {
			c.from = fields.Text()
		}
		if !fields.Scan() {
			break
		}
		c.path = fields.Text()
		visit(c)
	}
	if err := fields.Err(); err != nil {
		return fmt.Errorf("read git's changes: %w", err)
	}
	return nil
}

// splitNUL is a [bufio.SplitFunc] for fields that end with a NUL. It drops an unfinished field.
func splitNUL(data []byte, _ bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return i + 1, data[:i], nil
	}
	return 0, nil, nil
}
