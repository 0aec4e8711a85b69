// Package document describes a file on disk for the packages that read and index files. It knows
// files, not their text.
package document

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"time"
)

// ErrChanged means that a file has changed since it was read. It is read and indexed again.
var ErrChanged = errors.New("changed while it was indexed")

// ConflictLine returns the 1-based line of the first mark that git leaves in a text where two branches
// conflict, or 0. Code blocks do not count: a text may explain such marks.
func ConflictLine(text []byte) int {
	first, divided, inCode := 0, false, false
	number := 0
	for line := range bytes.Lines(text) {
		number++
		switch {
		case bytes.HasPrefix(line, []byte("```")), bytes.HasPrefix(line, []byte("~~~")):
			inCode = !inCode
		case inCode:
		case bytes.HasPrefix(line, []byte("<<<<<<< ")):
			first, divided = number, false
		case bytes.HasPrefix(line, []byte("=======")):
			divided = first > 0
		case bytes.HasPrefix(line, []byte(">>>>>>> ")) && divided:
			return first
		}
	}
	return 0
}

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

// Proves reports whether a file with the metadata of present has the content of the stamp, so that
// nobody has to read it again.
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

// DocType is what the index knows of the kind that a document is of.
type DocType struct {
	Name string
	// Docs is the folder of all the project's documents. A document may name another one by its path
	// in there.
	Docs string
	// LinkRoot is the folder of the repository from which links lead that begin with /, "." or "" for the
	// repository itself.
	LinkRoot string
	// Language is that of the documents by its code, as in package terms; "" to find it for each.
	Language string
	// SchemaHash identifies what Validate depends on. When it changes, documents
	// may have become valid or invalid.
	SchemaHash string
	// Validate returns what is wrong with a document's front matter, sorted by field.
	Validate func(frontMatter map[string]any) []Violation
	// Named is set in a lenient project, where a document has any front matter or none, and what Validate
	// returns is advice. It returns the doc-type that front matter may name instead of the folder's.
	Named func(name string) (DocType, bool)
}

// Lenient reports whether documents need no front matter.
func (t DocType) Lenient() bool { return t.Named != nil }

// Violation is one thing that is wrong with a document's front matter, in words
// for its writer: {"severity", `is "urgent"`, "one of critical, high, medium, low"}.
type Violation struct {
	// Field is the place in the front matter, such as severity or tags[1].
	Field string `json:"field"`
	// Problem completes the sentence that Field begins.
	Problem string `json:"problem"`
	// Expected is what would be right: a noun phrase, never empty.
	Expected string `json:"expected"`
}
