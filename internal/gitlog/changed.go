package gitlog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// indexEntry is a file of git's index as `git ls-files --stage --debug` prints it. The fields
// are mode, path, seconds and nanoseconds of the modification time, and size.
var indexEntry = regexp.MustCompile(`(?s)^(\d+) [0-9a-f]+ \d\t([^\x00]+)\x00` +
	`  ctime: \d+:\d+\n  mtime: (\d+):(\d+)\n[^\n]*\n[^\n]*\n  size: (\d+)\tflags: [0-9a-f]+\n`)

// changed calls visit for the files of the folder whose size or time differs from git's index,
// by their paths in the checkout. Removed files are among them, and a file may be among them
// that has the same bytes.
//
// `git ls-files --modified` would read the files through the filters that the repository's
// configuration names, and these are programs. So git prints its index, and this process
// looks at the files.
func (f Folder) changed(ctx context.Context, visit func(path string)) error {
	index, err := f.ask(ctx, "rev-parse", "--git-path", "index")
	if err != nil {
		return err
	}
	if !filepath.IsAbs(index) {
		index = filepath.Join(f.top, index)
	}
	info, err := os.Lstat(index)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at git's index: %w", err)
	}
	written := info.ModTime()
	return f.run(ctx, func(output io.Reader) error {
		text, err := io.ReadAll(output)
		for len(text) > 0 && err == nil {
			entry := indexEntry.FindSubmatch(text)
			if entry == nil {
				return errors.New("git prints its index in a form that is not known")
			}
			text = text[len(entry[0]):]
			name := string(entry[2])
			if regular := strings.HasPrefix(string(entry[1]), "100"); regular && f.differs(name, entry, written) {
				visit(name)
			}
		}
		return err //nolint:wrapcheck // run says what was read
	}, "ls-files", "--stage", "--debug", "-z", "--full-name", "--", f.name)
}

// differs reports whether a file differs from its entry in an index that was written at a
// time. A file that changed at that time or later may have changed once more in the same tick.
func (f Folder) differs(name string, entry [][]byte, written time.Time) bool {
	info, err := os.Lstat(filepath.Join(f.top, filepath.FromSlash(name)))
	if err != nil {
		return true
	}
	seconds, _ := strconv.ParseInt(string(entry[3]), 10, 64) // digits
	nanoseconds, _ := strconv.ParseInt(string(entry[4]), 10, 64)
	return strconv.FormatInt(info.Size(), 10) != string(entry[5]) ||
		!info.ModTime().Equal(time.Unix(seconds, nanoseconds)) || !info.ModTime().Before(written)
}
