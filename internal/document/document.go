// Package document describes files on disk and places in them, for the packages that read and index files.
package document

import (
	"crypto/sha256"
	"errors"
	"time"
)

// ErrChanged means that a file has changed since it was read, and must be read and indexed again.
var ErrChanged = errors.New("changed while it was indexed")

// ErrLeftOut means that a file, such as a template, has the name of a document but is not one.
var ErrLeftOut = errors.New("is left out")

// Hash is the SHA-256 of a file's bytes.
type Hash = [sha256.Size]byte

// File is one file as it was read.
type File struct {
	// Path is relative to the repository, with / separators and no leading "./".
	Path    string
	Content []byte
	Stamp   Stamp
}

// Stamp is the index's knowledge about a file, except its text. Its times have PostgreSQL's precision, a
// microsecond.
type Stamp struct {
	Size int64
	// ModTime is when the content was last written, as a program may have set it.
	ModTime time.Time
	// ChangeTime is when the file system last noted a change of any kind. It is zero if a later
	// change could have the same time.
	ChangeTime time.Time
	// Inode tells one file from another; 0 where the file system has none.
	Inode uint64
	Hash  Hash
}

// Proves reports whether a file with the metadata of present has the content of the stamp, so
// nobody has to read the file again.
func (s Stamp) Proves(present Stamp) bool {
	return !s.ChangeTime.IsZero() && s.Size == present.Size && s.Inode == present.Inode && s.SameModTime(present) &&
		s.ChangeTime.Truncate(time.Microsecond).Equal(present.ChangeTime.Truncate(time.Microsecond))
}

// SameModTime reports whether the content was last written at the same time, as far as times
// can be trusted: a program may set them.
func (s Stamp) SameModTime(other Stamp) bool {
	return s.ModTime.Truncate(time.Microsecond).Equal(other.ModTime.Truncate(time.Microsecond))
}

// Failure is a file that could not be indexed, and why.
type Failure struct {
	Path string
	Err  error
}
