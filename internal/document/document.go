// Package document describes files on disk and places in them, for the packages that read and index files.
package document

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// ErrChanged means that a file has changed since it was read. It is read and indexed again.
var ErrChanged = errors.New("changed while it was indexed")

// ErrLeftOut means that a file is no document although it has the name of one, such as a template.
var ErrLeftOut = errors.New("is left out")

// Hash is the SHA-256 of a file's bytes.
type Hash = [sha256.Size]byte

// File is one file as it was read.
type File struct {
	// Path is relative to the repository, with / separators and no leading "./".
	Path    string
	Content []byte
	// Metadata of the file system; see [Stamp].
	Size       int64
	ModTime    time.Time
	ChangeTime time.Time
	Inode      uint64
}

// Stamp returns what the index is to know of the file.
func (f File) Stamp() Stamp {
	return Stamp{
		Size: f.Size, ModTime: f.ModTime, ChangeTime: f.ChangeTime, Inode: f.Inode, Hash: sha256.Sum256(f.Content),
	}
}

// Stamp is what the index knows of a file without its text. Its times have
// PostgreSQL's precision, a microsecond.
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

// Encoding returns the name that iconv has for the encoding of a text, if that is UTF-16, Latin-1 or the one of
// Windows. It is "" for UTF-8 and for files that are no text.
func Encoding(content []byte) string {
	switch {
	case bytes.HasPrefix(content, []byte("\xff\xfe")), bytes.HasPrefix(content, []byte("\xfe\xff")):
		return "UTF-16"
	case utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0:
		return ""
	case bytes.ContainsFunc(bytes.ToValidUTF8(content, nil), func(r rune) bool { return r >= utf8.RuneSelf }):
		return "" // some of it is UTF-8
	}
	for _, b := range content {
		if 0x80 <= b && b < 0xa0 { // controls in Latin-1, quotation marks and dashes in Windows
			return "WINDOWS-1252"
		}
	}
	return "LATIN1"
}

// Recode returns the command that makes a file UTF-8, for a shell.
func Recode(encoding, path string) string {
	quote := func(name string) string { return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'" }
	return fmt.Sprintf("iconv -f %s -t UTF-8 %s >%s && mv %s %s",
		encoding, quote(path), quote(path+".utf8"), quote(path+".utf8"), quote(path))
}
