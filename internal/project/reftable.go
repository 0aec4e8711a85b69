package project

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/contain"
)

// reftableStub is HEAD of a repository whose refs are in a reftable, which git's technical/reftable describes.
const reftableStub = "ref: refs/heads/.invalid"

const (
	maxTableStart = 64 << 10 // bytes of a table that have HEAD
	maxTableList  = 1 << 20
)

var errReftable = errors.New("its reftable cannot be read; " +
	"git refs migrate --ref-format=files stores the refs as files")

// reftableList returns the file that names the tables of a git folder. Git writes it with every change of a ref.
func reftableList(dir string) string { return filepath.Join(dir, "reftable", "tables.list") }

// reftableHead returns HEAD of a git folder as a HEAD file has it. Git may replace tables at any moment.
func reftableHead(dir string) (string, error) {
	const tries = 3
	for try := 1; ; try++ {
		text, err := newestHead(dir)
		if try == tries || !errors.Is(err, fs.ErrNotExist) {
			return text, err
		}
	}
}

func newestHead(dir string) (string, error) {
	list, err := contain.ReadFile(reftableList(dir), maxTableList)
	if err != nil {
		return "", err
	}
	tables := strings.Fields(string(list))
	slices.Reverse(tables)
	for _, table := range tables {
		file := filepath.Join(dir, "reftable", filepath.Base(table))
		start, err := contain.ReadStart(file, maxTableStart)
		if err != nil {
			return "", err
		}
		text, found, err := headIn(start)
		if err != nil {
			return "", &fs.PathError{Op: "read", Path: file, Err: err}
		}
		if found {
			return text, nil
		}
	}
	return "", &fs.PathError{Op: "read", Path: reftableList(dir), Err: errReftable}
}

// tableReader reads a table. After its end everything is zero, and failed is set.
type tableReader struct {
	left   []byte
	failed bool
}

func (r *tableReader) take(length int) []byte {
	if length < 0 || length > len(r.left) {
		r.failed, r.left = true, nil
		return nil
	}
	taken := r.left[:length]
	r.left = r.left[length:]
	return taken
}

// number reads a number as in a pack's offset.
func (r *tableReader) number() int {
	value := 0
	for range 9 {
		b := r.take(1)
		if r.failed {
			return 0
		}
		value |= int(b[0] & 0x7f)
		if b[0] < 0x80 {
			return value
		}
		value = (value + 1) << 7
	}
	r.failed = true
	return 0
}

// records returns the records of a block with the given length, without the list of places after them.
func records(block []byte, length int) []byte {
	const count, place = 2, 3 // bytes
	if length < count || length > len(block) {
		return block // only its start was read
	}
	places := int(binary.BigEndian.Uint16(block[length-count:]))
	return block[:max(0, length-count-place*places)]
}

// headIn returns HEAD of a table. Refs are sorted, so HEAD is in the first block.
func headIn(table []byte) (text string, found bool, err error) {
	r := &tableReader{left: table}
	header := r.take(len("REFT") + 1 + 3 + 8 + 8)
	if r.failed || string(header[:4]) != "REFT" || header[4] != 1 && header[4] != 2 {
		return "", false, errReftable
	}
	hash := 20
	if header[4] == 2 && string(r.take(4)) == "s256" {
		hash = 32
	}
	block := r.take(4)
	if r.failed || block[0] != 'r' {
		return "", false, nil // it has no refs
	}
	// The length of the first block counts the header.
	r.left = records(r.left, int(binary.BigEndian.Uint32(block)&0xffffff)-(len(table)-len(r.left)))
	name := ""
	for len(r.left) > 0 && name < "HEAD" {
		prefix, suffix := r.number(), r.number()
		if prefix > len(name) {
			return "", false, errReftable
		}
		name = name[:prefix] + string(r.take(suffix>>3))
		r.number() // of the update
		var value string
		switch kind := suffix & 7; kind {
		case 0: // deleted
		case 1: // an object
			value = hex.EncodeToString(r.take(hash))
		case 2: // a tag and its object
			r.take(2 * hash)
		case 3:
			value = "ref: " + string(r.take(r.number()))
		default:
			return "", false, fmt.Errorf("%w: kind %d", errReftable, kind)
		}
		if r.failed {
			return "", false, errReftable
		}
		if name == "HEAD" {
			return value, value != "", nil
		}
	}
	return "", false, nil
}
