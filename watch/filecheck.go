package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/plain"
)

// unfitError says why a file cannot be a document. The index then drops the document with the path of the file.
type unfitError struct{ reason string }

func (e *unfitError) Error() string { return e.reason }

func unfit(err error) bool { return errors.As(err, new(*unfitError)) }

var errNotRegular = &unfitError{"is not a regular file; put a file there in its place"}

func errTooLarge(size int64) error {
	return &unfitError{fmt.Sprintf("has %d bytes, more than the %d that a document may have; split it", size, contain.MaxDocument)}
}

func checkName(name string) error {
	if !utf8.ValidString(name) {
		return &unfitError{"has a name that is not valid UTF-8; rename it"}
	}
	if !plain.Prints(name) {
		return &unfitError{"has a name with characters that do not print, such as line breaks; rename it"}
	}
	return nil
}

// checkForm returns an error if the name of another file differs only in its Unicode form. Both files would have one
// path in the index.
func checkForm(root *contain.Root, name string, info fs.FileInfo) error {
	if norm.NFC.IsNormalString(name) {
		return nil
	}
	other, err := root.Lstat(norm.NFC.String(name))
	if err != nil || os.SameFile(info, other) {
		return nil //nolint:nilerr // there is no other file
	}
	return &unfitError{"has the name of another file in another Unicode form (NFC, NFD); rename one"}
}

// Open opens the folder under the rules of [Folder.Dir], [Folder.Inside] and [Folder.TopHidden].
func (f Folder) Open() (*contain.Root, error) {
	if f.Inside == "" {
		return contain.Open(f.Dir)
	}
	root, err := contain.OpenInside(f.Inside, f.Dir, f.TopHidden)
	if f.TopHidden && (errors.Is(err, contain.ErrEscapes) || errors.Is(err, contain.ErrHidden)) {
		err = fs.ErrNotExist // nobody has asked for this folder, so it counts as missing
	}
	return root, err
}

// covered returns an error if a symbolic link leads to a target that does not belong to the folder. Otherwise a link
// would be a way around [Folder.Match].
func (f Folder) covered(name, target string) error {
	if target == name || f.Covers(target) {
		return nil
	}
	return &unfitError{fmt.Sprintf(
		"is a symbolic link to %s, which does not belong to the documents; put the file itself there", target)}
}

// explain returns an error that says what to do about a file that cannot be a document. Other errors stay unchanged.
func explain(root *contain.Root, name string, err error) error {
	tooLarge, isTooLarge := errors.AsType[*contain.TooLargeError](err)
	switch {
	case isTooLarge:
		return errTooLarge(tooLarge.Size)
	case errors.Is(err, contain.ErrNotRegular):
		return errNotRegular
	case errors.Is(err, contain.ErrHidden):
		target, _, _ := root.Resolve(name) // the error is ErrHidden again
		return &unfitError{fmt.Sprintf(
			"leads to %s by a symbolic link, and hidden files are not read; put the file itself there", target)}
	}
	info, lstatErr := root.Lstat(name)
	if lstatErr != nil || info.Mode()&fs.ModeSymlink == 0 {
		return err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &unfitError{"is a symbolic link to nothing; correct or remove it"}
	case errors.Is(err, syscall.ELOOP):
		return &unfitError{"is a symbolic link that leads back to itself; correct or remove it"}
	case errors.Is(err, contain.ErrEscapes):
		return &unfitError{"is a symbolic link out of the folder; put the file itself there"}
	default:
		return err
	}
}

// StampOf returns the stamp of a file, without a hash.
func StampOf(info fs.FileInfo) document.Stamp {
	stamp := document.Stamp{Size: info.Size(), ModTime: info.ModTime()}
	stamp.ChangeTime, stamp.Inode = systemStamp(info)
	return stamp
}

// provenTime returns the change time of a file, or zero if that time is too recent to prove anything. Another change in
// the same tick of the clock would not alter the time.
func provenTime(changeTime, now time.Time) time.Time {
	tick := 20 * time.Millisecond // two ticks of the slowest kernel
	if changeTime.Nanosecond() == 0 {
		tick = 2 * time.Second // the file system keeps only whole seconds
	}
	if now.Sub(changeTime) < tick {
		return time.Time{}
	}
	return changeTime
}
