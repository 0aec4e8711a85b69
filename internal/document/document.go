// Package document describes files on disk and places in them, for the packages that read and index files.
package document

import (
	"crypto/sha256"
	"errors"
	"time"
)

// ErrChanged means that a file has changed since it was read, and must be read and indexed again.
var ErrChanged = errors.New("changed while it was indexed")

// ErrLeftOut means that a file has the name of a document but is not a document. A template is such a file.
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

// Stamp is what the index knows about a file, except the text. Times have PostgreSQL's precision, a microsecond.
type Stamp struct {
	Size int64
	// ModTime is when the content was last written. A program may have set another time.
	ModTime time.Time
	// ChangeTime is when the file system last noted a change of any kind. Programs cannot set it. If the time is so
	// recent that another change could get the same time, ChangeTime is zero.
	ChangeTime time.Time
	// Inode is the file system's number of the file, or 0 if the file system has no such numbers.
	Inode uint64
	Hash  Hash
}

// Proves reports whether a file certainly has the content that the index knows, so that it is not read again. s is the
// Stamp in the index, and current has the present metadata of the file.
func (s Stamp) Proves(current Stamp) bool {
	return !s.ChangeTime.IsZero() && s.Size == current.Size && s.Inode == current.Inode && s.SameModTime(current) &&
		s.ChangeTime.Truncate(time.Microsecond).Equal(current.ChangeTime.Truncate(time.Microsecond))
}

// SameModTime reports whether s and other have equal ModTimes. This does not prove that the content is equal.
func (s Stamp) SameModTime(other Stamp) bool {
	return s.ModTime.Truncate(time.Microsecond).Equal(other.ModTime.Truncate(time.Microsecond))
}

// Failure is a file that could not be indexed, and why.
type Failure struct {
	Path string
	Err  error
}
