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

// unfitError is why a file cannot be a document. What the index holds under its
// name is outdated, and is removed.
type unfitError struct{ reason string }

func (e *unfitError) Error() string { return e.reason }

func unfit(err error) bool { return errors.As(err, new(*unfitError)) }

// checkName returns an error for a path that cannot be in an index.
func checkName(name string) error {
	if !utf8.ValidString(name) {
		return &unfitError{"has a name that is not valid UTF-8; rename it"}
	}
	return nil
}

// follow returns the target of a symbolic link in the folder. The error is
// [fs.ErrNotExist] if there is no such link, an *unfitError if it cannot be
// followed, and otherwise why the target cannot be looked at.
func follow(root *os.Root, name string) (fs.FileInfo, error) {
	info, err := root.Stat(filepath.FromSlash(name))
	if err != nil {
		return nil, explain(root, name, err)
	}
	return info, nil
}

// fit returns an error for a file that cannot be a document.
func fit(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return &unfitError{"is not a regular file; put a file there in its place"}
	}
	if info.Size() > maxFileSize {
		return &unfitError{fmt.Sprintf("has %d bytes, more than the %d that a document may have; split it", info.Size(), maxFileSize)}
	}
	return nil
}

// explain replaces the error of following a symbolic link by one that says what is
// wrong with the link. It returns other errors as they are.
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

// escapes reports whether [os.Root] has refused to leave its folder. That is its
// only error that does not come from the system.
func escapes(err error) bool { return err != nil && !errors.As(err, new(syscall.Errno)) }

// leadsToFolderElsewhere reports whether a symbolic link leads to a folder outside
// of root. Its files are not indexed.
func leadsToFolderElsewhere(root *os.Root, name string) bool {
	if _, err := root.Stat(filepath.FromSlash(name)); !escapes(err) {
		return false
	}
	target, err := os.Stat(filepath.Join(root.Name(), filepath.FromSlash(name)))
	return err == nil && target.IsDir()
}
