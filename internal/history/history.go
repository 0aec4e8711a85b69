// Package history reads git's history of a folder's files, and finds documents that may be wrong because the
// places that they cite have changed. It knows commits, dates, paths and places. It must not know what documents
// say, or the database.
//
// The checkout and its git configuration may be hostile. So git runs without hooks, pager, network, helper
// programs and optional locks, in a fresh environment. Its time and its output are limited.
//
// A place is compared with the commit in which the document last changed a line about the place's file, or
// its date. Other edits confirm nothing. Lines that are not committed yet are not stale. Git diff does not compare the
// work tree, because it would run the filters of the repository's configuration.
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

// Limits of one run of git. A history with a million commits takes seconds.
const (
	maxTime   = 10 * time.Second
	maxOutput = 32 << 20 // bytes
)

// Folder is a folder of a checkout.
type Folder struct {
	// top is the nearest folder upwards with a .git. Git runs there, and so ignores folders that imitate
	// a repository.
	top  string
	name string // of the folder relative to top, with / separators
}

// Open returns a folder of a checkout. dir is absolute. The error is [ErrNone] without a repository.
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

// Head returns the checked-out commit. It is much cheaper than a history. The error is [ErrNone] without a
// commit.
func (f Folder) Head(ctx context.Context) (string, error) {
	return f.ask(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
}

// HeadRef returns the ref that is checked out, such as refs/heads/main. It may have no commit yet. The error is
// [ErrNone] if HEAD names a commit.
func (f Folder) HeadRef(ctx context.Context) (string, error) {
	return f.ask(ctx, "symbolic-ref", "--quiet", "HEAD")
}

// HasBranch reports whether the repository has a local branch with a short name.
func (f Folder) HasBranch(ctx context.Context, name string) (bool, error) {
	_, err := f.ask(ctx, "show-ref", "--verify", "--quiet", "refs/heads/"+name)
	if errors.Is(err, ErrNone) && !errors.Is(err, errNoGit) {
		return false, nil
	}
	return err == nil, err
}

// Shallow reports whether the checkout has only the newest commits of its history. Its oldest commit then
// seems to add every file.
func (f Folder) Shallow(ctx context.Context) (bool, error) {
	answer, err := f.ask(ctx, "rev-parse", "--is-shallow-repository")
	return answer == "true", err
}

// ask returns git's output without the space around it.
func (f Folder) ask(ctx context.Context, arguments ...string) (string, error) {
	var answer strings.Builder
	err := f.run(ctx, func(output io.Reader) error {
		_, err := io.Copy(&answer, output)
		return err
	}, arguments...)
	return strings.TrimSpace(answer.String()), err
}

// Added returns the dates of the first commits of the folder's files, by their paths in the folder: dates
// such as 2026-01-02, by the authors' clocks. It follows the history of a commit. A file that was moved
// within the folder, without another change in that commit, keeps its date. Removed files are included. only
// limits it to files and folders by their paths in the folder; empty means all.
func (f Folder) Added(ctx context.Context, commit string, only ...string) (map[string]string, error) {
	dates := map[string]string{}
	err := f.history(ctx, commit, "AR", only, func(name string, c change) { dates[name] = c.date }) // the first one counts
	return dates, err
}

// Changed returns the dates of the last changes of the folder's files after they were added, as [Folder.Added] does.
// A move that changes no byte is no change.
func (f Folder) Changed(ctx context.Context, commit string, only ...string) (map[string]string, error) {
	dates := map[string]string{}
	err := f.history(ctx, commit, "MTR", only, func(name string, c change) {
		if dates[name] == "" {
			dates[name] = c.date
		}
	})
	return dates, err
}

// maxTouches bounds the versions that are kept of each file.
const maxTouches = 20

// Touched returns the last versions of the folder's markdown files, newest first, by their paths. It follows
// the history of a commit. A move that changes no byte is no new version. Removed files are included.
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

// history visits the changes of the given kinds, as in git's --diff-filter, from the newest commit to the
// oldest, without moves and merges. name is the file's present name.
func (f Folder) history(
	ctx context.Context, commit, kinds string, only []string, visit func(name string, c change),
) error {
	paths := []string{f.name}
	if len(only) > 0 {
		paths = nil
	}
	for _, name := range only {
		paths = append(paths, path.Join(f.name, name))
	}
	now := map[string]string{} // present names by former ones
	arguments := slices.Concat([]string{
		"log", "--format=" + mark + "%H %ad", "--date=short", "--no-notes", "--no-mailmap",
		// Only files with the same bytes count as moved, for which git reads no file.
		"--find-renames=100%",
	}, f.listing(kinds), []string{commit, "--"}, paths)
	return f.run(ctx, func(output io.Reader) error {
		return parseLog(output, func(c change) {
			name, moved := now[c.path]
			if !moved {
				name = norm.NFC.String(c.path) // as watch names files
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

// listing returns the options for a list of changes of the given kinds as parse reads it, with paths in the
// folder.
func (f Folder) listing(kinds string) []string {
	relative := "--relative" // to top
	if f.name != "." {
		relative += "=" + f.name + "/"
	}
	return []string{
		"-z", "--name-status", "--diff-filter=" + kinds, "--no-ext-diff", "--no-textconv", "--no-color",
		"--ignore-submodules=all", "-O/dev/null", relative,
	}
}

// mark begins a commit in git's output, and no change.
const mark = "\x01"

// change describes how a file of the folder was changed.
type change struct {
	commit, date string // of git log; the date is by the author's clock, such as 2026-01-02
	path         string // in the folder, with / separators
	from         string // the path before, if the file was moved; "" otherwise
}

// parseLog reads the output of git log or git diff. A commit is mark, its name and its date. A change is its
// kind and path, or the old and the new path of a move. A NUL follows each of them, and another one each
// commit.
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
		kind := strings.TrimPrefix(field, "\n") // it is between a commit and its first change
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
