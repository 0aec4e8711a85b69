// Package markdown parses a markdown file into front matter, title, summary, links and the passages
// to embed, each with its lines in the file.
//
// Its functions are pure, except that they give a file up after some time. It knows markdown, YAML
// and the size of an embedding model's window. It must not know files, SQL or Ollama, nor the
// meaning of front matter beyond title, summary, date and promotion_level: package said reads
// what else a document says of itself.
//
// Parse masks secrets before it reads a file, so a [Document] holds none.
//
// Input is untrusted: time and memory are about proportional to its size.
package markdown

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

const maxSummaryRunes = 300

// Document is a parsed markdown file. It is read-only after Parse, and safe for concurrent use.
type Document struct {
	// FrontMatter is nil when the file has none. It holds only what JSON can: nil, bool, int (uint64 beyond
	// it), float64, string, []any and map[string]any. A date is the string in the file. Only the field date
	// becomes a day such as 2026-11-26, if it has another form or a time.
	FrontMatter map[string]any
	// FrontMatterLines is how many lines of the file are front matter, with its delimiters and the lines
	// before it; 0 without any.
	FrontMatterLines int
	// Notes are faults in a file that was read all the same. Line 0 stands for the field date.
	Notes []Error
	// Title is the front matter's title, else the first H1, else "".
	Title string
	// Date is the field date, else the latest in other fields, else the latest before the first section, else "".
	Date string
	// Summary is the front matter's summary or description as it is, else the first paragraph
	// as plain text, cut at a word to at most 300 characters.
	Summary string
	// CharCount and LineCount count the Unicode characters and the lines of the whole file. A final
	// newline begins no line.
	CharCount, LineCount int
	// Links are the destinations of relative links, once each and in order, percent-decoded and without query
	// and fragment. Images, bare anchors and whatever has a scheme or host are left out.
	Links []string
	// Anchors are the destinations with a fragment, as they are written, without those that have a scheme or host.
	Anchors []string
	// NotFrontMatter says why a block that looks like front matter counts as body. Replaced is the line of
	// the first bytes that are not UTF-8 and were replaced by U+FFFD, 0 for none. Only ParseAny sets them.
	NotFrontMatter error
	Replaced       int

	outline outline
}

// Error says what is wrong with a file, and where.
type Error struct {
	Line    int // 1-based
	Problem string
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Problem) }

func errorf(line int, format string, args ...any) *Error {
	return &Error{Line: line, Problem: fmt.Sprintf(format, args...)}
}

// Parse parses a markdown file. The error is an *Error: the front matter is invalid, the file is not UTF-8
// text, it is a pointer or encrypted, or it takes too long to parse.
func Parse(src []byte) (*Document, error) { return parse(src, false) }

// ParseAny parses a markdown file that was not written for this index. Invalid front matter counts as body,
// bytes that are not UTF-8 are replaced by U+FFFD, and the field Title becomes title. The error is an *Error: the file
// holds a NUL byte, so it is not text, it is a pointer or encrypted, or it takes too long to parse.
func ParseAny(src []byte) (*Document, error) { return parse(src, true) }

// maxParseTime is far more than any file of the largest size takes, on a busy machine too.
const maxParseTime = 30 * time.Second

func parse(src []byte, lenient bool) (*Document, error) {
	replaced, b := invalidUTF8(src)
	switch {
	case replaced > 0 && lenient:
		src = bytes.ToValidUTF8(src, []byte("\ufffd"))
	case replaced > 0:
		return nil, errorf(replaced, "is not valid UTF-8 (byte 0x%02x); save the file as UTF-8 text", b)
	}
	if i := bytes.IndexByte(src, 0); i >= 0 { // text has none, and a PostgreSQL text cannot hold one
		return nil, errorf(lineAt(src, i), "holds a NUL byte; save the file as UTF-8 text")
	}
	lines := readLines(src)
	front, notFrontMatter := readFrontMatter(lines)
	if notFrontMatter != nil && !lenient {
		return nil, notFrontMatter
	}
	if lenient {
		front.fields = inLowerCase(front.fields)
	}
	if err := checkReadable(src, front.fields); err != nil {
		return nil, err
	}
	doc := &Document{
		FrontMatter: front.fields, FrontMatterLines: front.body, Notes: front.notes, Links: []string{},
		CharCount: utf8.RuneCount(src), LineCount: len(lines), NotFrontMatter: notFrontMatter, Replaced: replaced,
		outline: newOutline(withoutHidden(lines, front.body), front.body),
	}
	if !doc.parseBody(defaultPieceSize(), time.Now().Add(maxParseTime)) {
		return nil, errorf(1, "takes longer than %s to parse; split the file", maxParseTime)
	}
	doc.setDate()
	if title, ok := front.fields["title"].(string); ok && strings.TrimSpace(title) != "" {
		doc.Title = collapse(title)
	}
	for _, field := range []string{"description", "summary"} { // summary wins; site generators know description
		if summary, ok := front.fields[field].(string); ok && strings.TrimSpace(summary) != "" {
			doc.Summary = strings.TrimSpace(summary)
		}
	}
	return doc, nil
}

// inLowerCase returns fields with their names in lower case. If two names differ only in case, the one in lower case
// stays.
func inLowerCase(fields map[string]any) map[string]any {
	if fields == nil {
		return nil
	}
	lower := make(map[string]any, len(fields))
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		folded := strings.ToLower(name)
		if _, isGiven := fields[folded]; name == folded || !isGiven {
			lower[folded] = fields[name]
		}
	}
	return lower
}

// FrontMatter returns the fields of a markdown file without parsing its text, nil without any that can be read.
func FrontMatter(src []byte) map[string]any {
	front, err := readFrontMatter(readLines(bytes.ToValidUTF8(src, []byte("\ufffd"))))
	if err != nil {
		return nil
	}
	return front.fields
}

// readLines splits a file into lines without secrets.
func readLines(src []byte) []string {
	return linesOf(masked(strings.TrimPrefix(string(src), "\ufeff")))
}

// Lines returns the lines of a file as passages have them: without comments and secrets, each in its place.
func Lines(src []byte) []string {
	lines := readLines(src)
	front, _ := readFrontMatter(lines) // front matter that cannot be read is text
	return withoutHidden(lines, front.body)
}

// invalidUTF8 returns the line and the value of the first byte that is not UTF-8. The line is 0 if
// all bytes are UTF-8.
func invalidUTF8(src []byte) (line int, b byte) {
	for at := 0; at < len(src); {
		r, size := utf8.DecodeRune(src[at:])
		if r == utf8.RuneError && size == 1 {
			return lineAt(src, at), src[at]
		}
		at += size
	}
	return 0, 0
}

func lineAt(src []byte, offset int) int { return 1 + bytes.Count(src[:offset], []byte("\n")) }

// linesOf returns the lines of text without their line endings.
func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
}

// collapse makes s one line with single spaces.
func collapse(s string) string { return strings.Join(strings.Fields(s), " ") }

func blank(line string) bool { return strings.TrimSpace(line) == "" }
