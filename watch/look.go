package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"unicode/utf8"
)

// unfitError is why a file is no document as it is. What the index has by its
// name is of a file that is no longer there.
type unfitError struct{ reason string }

func (e *unfitError) Error() string { return e.reason }

func unfit(err error) bool { return errors.As(err, new(*unfitError)) }

// checkName is an error for a path that no index holds.
func checkName(name string) error {
	if !utf8.ValidString(name) {
		return &unfitError{"has a name that is not valid UTF-8; rename it"}
	}
	return nil
}

// follow returns what a symbolic link of the folder leads to. The error is
// [fs.ErrNotExist] when there is no such link, an *unfitError when it cannot be
// followed, and else says why it cannot be looked at.
func follow(root *os.Root, name string) (fs.FileInfo, error) {
	info, err := root.Stat(filepath.FromSlash(name))
	if err != nil {
		return nil, explain(root, name, err)
	}
	return info, nil
}

// fit is an error for what no document can be.
func fit(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return &unfitError{"is not a regular file; put a file there in its place"}
	}
	if info.Size() > maxFileSize {
		return &unfitError{fmt.Sprintf("has %d bytes, more than the %d that a document may have; split it", info.Size(), maxFileSize)}
	}
	return nil
}

// explain says what is wrong with a symbolic link that cannot be followed. Other
// errors it returns as they are.
func explain(root *os.Root, name string, err error) error {
	info, lstatErr := root.Lstat(filepath.FromSlash(name))
	if lstatErr != nil || info.Mode()&fs.ModeSymlink == 0 {
		return err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &unfitError{"is a symbolic link to nothing; correct or remove it"}
	case errors.Is(err, syscall.ELOOP):
		return &unfitError{"is a symbolic link that leads back to itself; correct or remove it"}
	case escapes(err):
		return &unfitError{"is a symbolic link out of the folder, or an absolute one; put the file itself there"}
	default:
		return err
	}
}

// escapes reports that [os.Root] has refused to leave its folder: of its errors
// that one alone is not the system's.
func escapes(err error) bool { return err != nil && !errors.As(err, new(syscall.Errno)) }

// leadsToFolderElsewhere reports that a symbolic link leads to a folder outside
// of root, whose files are in no index.
func leadsToFolderElsewhere(root *os.Root, name string) bool {
	if _, err := root.Stat(filepath.FromSlash(name)); !escapes(err) {
		return false
	}
	target, err := os.Stat(filepath.Join(root.Name(), filepath.FromSlash(name)))
	return err == nil && target.IsDir()
}
