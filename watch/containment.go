package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/compound-docs/compound-docs/internal/contain"
)

// Open opens the folder under the rules of [Folder.Dir] and [Folder.Inside].
func (f Folder) Open() (*contain.Root, error) {
	if f.Inside == "" {
		return contain.Open(f.Dir)
	}
	return contain.OpenInside(f.Inside, f.Dir)
}

// covered returns an error if name leads by a symbolic link to a target that the folder
// does not cover: a link is no way around a pattern.
func (f Folder) covered(name, target string) error {
	if f.Match == nil || target == name || f.Covers(target) {
		return nil
	}
	return &unfitError{fmt.Sprintf(
		"is a symbolic link to %s, which does not belong to the documents; put the file itself there", target)}
}

// explain replaces the error of looking at a file by one that says what to do about the
// file, where that cannot be a document. It returns other errors as they are.
func explain(root *contain.Root, name string, err error) error {
	tooLarge, isTooLarge := errors.AsType[*contain.TooLargeError](err)
	switch {
	case isTooLarge:
		return errTooLarge(tooLarge.Size)
	case errors.Is(err, contain.ErrNotRegular):
		return errNotRegular
	case errors.Is(err, contain.ErrReplaced):
		return errChanged
	case errors.Is(err, contain.ErrHidden):
		target, _ := root.Resolve(name) // the error is the same
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
