package history

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // git's name of a file's bytes
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/contain"
)

// presentFiles are the files of a checkout as they are now.
type presentFiles struct {
	root  *contain.Root
	files map[string]presentFile // that were looked at
}

// presentFile is a file as it is now.
type presentFile struct {
	exists, tooLarge bool
	unread           bool     // too large, a folder, or not regular
	names            []string // see namesOf
}

// is reports whether the file has the bytes of one of git's objects.
func (f presentFile) is(object string) bool { return object != "" && slices.Contains(f.names, object) }

func (p *presentFiles) file(name string) presentFile {
	name = strings.TrimSuffix(name, "/")
	if looked, ok := p.files[name]; ok {
		return looked
	}
	file := p.look(name)
	p.files[name] = file
	return file
}

func (p *presentFiles) look(name string) presentFile {
	if name == "" || !p.root.Exists(name) {
		return presentFile{}
	}
	content, err := p.read(name)
	if err != nil {
		return presentFile{exists: true, unread: true, tooLarge: errors.As(err, new(*contain.TooLargeError))}
	}
	return presentFile{exists: true, names: namesOf(content)}
}

// lines returns the lines of a file, or nil if it cannot be read.
func (p *presentFiles) lines(name string) []string {
	content, err := p.read(name)
	if err != nil {
		return nil
	}
	return linesOf(content)
}

func (p *presentFiles) read(name string) ([]byte, error) {
	read, err := p.root.Read(name, contain.MaxDocument)
	return read.Content, err
}

// namesOf returns the names that git may have for a file's bytes: with SHA-1 or SHA-256, as they are or
// with Unix line ends.
func namesOf(content []byte) (names []string) {
	versions := [][]byte{content}
	if unix := bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n")); len(unix) != len(content) {
		versions = append(versions, unix)
	}
	for _, version := range versions {
		for _, h := range []hash.Hash{sha1.New(), sha256.New()} { //nolint:gosec // as above
			fmt.Fprintf(h, "blob %d\x00", len(version)) // a hash returns no error
			h.Write(version)
			names = append(names, hex.EncodeToString(h.Sum(nil)))
		}
	}
	return names
}

func linesOf(content []byte) []string {
	text := strings.ReplaceAll(string(content), "\r\n", "\n")
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
