package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"unicode/utf8"

	"github.com/compound-docs/compound-docs/internal/contain"
)

// unfitError is why a file cannot be a document. What the index holds under its
// name is outdated, and is removed.
type unfitError struct{ reason string }

func (e *unfitError) Error() string { return e.reason }

func unfit(err error) bool { return errors.As(err, new(*unfitError)) }

var errNotRegular = &unfitError{"is not a regular file; put a file there in its place"}

func errTooLarge(size int64) error {
	return &unfitError{fmt.Sprintf("has %d bytes, more than the %d that a document may have; split it", size, contain.MaxDocument)}
}

// checkName returns an error for a path that cannot be in an index.
func checkName(name string) error {
	if !utf8.ValidString(name) {
		return &unfitError{"has a name that is not valid UTF-8; rename it"}
	}
	return nil
}

// fit returns an error for a file that cannot be a document.
func fit(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return errNotRegular
	}
	if info.Size() > contain.MaxDocument {
		return errTooLarge(info.Size())
	}
	return nil
}
