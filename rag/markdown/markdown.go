// Package markdown parses a markdown file into front matter, title, summary, links, and the passages to embed. Each
// passage has its line numbers in the file.
//
// The functions are pure, except that parsing ends with an error after 30 seconds. The package knows markdown, YAML,
// TOML and the size of an embedding model's window. It must not know the file system, SQL or Ollama. Of the front
// matter it interprets only title, summary and dates. Package said reads the other fields.
//
// [Parse] masks secrets first, so a [Document] has none.
//
// Files are untrusted input: time and memory are approximately proportional to the size of the file.
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
	// FrontMatter has the fields of the front matter, nil without front matter. A value has a type of JSON: nil, bool, int
	// (uint64 if too large for int), float64, string, []any or map[string]any. A date is a string, as the file has it.
	// Only the field date is rewritten in the form 2026-11-26.
	FrontMatter map[string]any
	// FrontMatterLines is the number of lines up to the end of the front matter, delimiters included, 0 without front
	// matter.
	FrontMatterLines int
	// Notes are faults that did not prevent parsing. Their Line is 0 if the fault is in the field date.
	Notes []Error
	// Title is the field title. Without this field it is the first H1, and without an H1 it is "".
	Title string
	// Date comes from the first place that has a date: the field date, the other date fields, or the lines before the
	// first section. If the place has several dates, Date is the latest. Without any date it is "".
	Date string
	// Summary is the field summary or description, unchanged. Without these fields it is the first paragraph as plain
	// text, cut at the end of a word to at most 300 characters.
	Summary string
	// CharCount and LineCount count the Unicode characters and the lines of the file. A final newline begins no line.
	CharCount, LineCount int
	// Links are the paths of relative links, each once, in the order of the text. They are percent-decoded, without query
	// and fragment. Images, links to a heading of this document, and links with a scheme or host are left out.
	Links []string
	// Anchors are the destinations with a fragment, such as b.md#setup, as written. Destinations with a scheme or host are
	// left out.
	Anchors []string
	// NotFrontMatter says why a block that looks like front matter was read as text. Replaced is the first line with bytes
	// that are not UTF-8, 0 for none; U+FFFD replaces these bytes. Only [ParseAny] sets the two fields.
	NotFrontMatter error
	Replaced       int

	outline outline
}

// Error is a fault at a line of a file.
type Error struct {
	Line    int // 1-based
	Problem string
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Problem) }

func errorf(line int, format string, args ...any) *Error {
	return &Error{Line: line, Problem: fmt.Sprintf(format, args...)}
}

// Parse parses a markdown file. The error is an *[Error]. Parse fails if the front matter is invalid, or if the file is
// not UTF-8 text, is encrypted, is a Git LFS pointer, or takes too long to parse.
func Parse(src []byte) (*Document, error) { return parse(src, false) }

// ParseAny parses a markdown file that was not written for this index. It reads invalid front matter as text, replaces
// bytes that are not UTF-8 by U+FFFD, and turns names of fields, such as Title, into lower case. The error is an
// *[Error]. ParseAny fails if the file has a NUL byte, is encrypted, is a Git LFS pointer, or takes too long to parse.
func ParseAny(src []byte) (*Document, error) { return parse(src, true) }

// maxParseTime is far longer than the largest file takes, even on a busy machine.
const maxParseTime = 30 * time.Second

func parse(src []byte, lenient bool) (*Document, error) {
	replaced, b := invalidUTF8(src)
	switch {
	case replaced > 0 && lenient:
		src = bytes.ToValidUTF8(src, []byte("\ufffd"))
	case replaced > 0:
		return nil, errorf(replaced, "is not valid UTF-8 (byte 0x%02x); save the file as UTF-8 text", b)
	}
	if i := bytes.IndexByte(src, 0); i >= 0 { // a NUL byte is not text, and PostgreSQL cannot store it
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
		doc.Title = OneLine(title)
	}
	for _, field := range []string{"description", "summary"} { // summary wins over description, the field of site generators
		if summary, ok := front.fields[field].(string); ok && strings.TrimSpace(summary) != "" {
			doc.Summary = strings.TrimSpace(summary)
		}
	}
	return doc, nil
}

// inLowerCase returns the fields with their names in lower case. If a file has both Title and title, title wins.
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

// FrontMatter returns the fields of a markdown file without parsing the text. Invalid front matter gives nil.
func FrontMatter(src []byte) map[string]any {
	front, err := readFrontMatter(readLines(bytes.ToValidUTF8(src, []byte("\ufffd"))))
	if err != nil {
		return nil
	}
	return front.fields
}

// readLines splits a file into lines and masks the secrets.
func readLines(src []byte) []string {
	return linesOf(masked(strings.TrimPrefix(string(src), "\ufeff")))
}

// Lines returns the lines of a file as passages have them: secrets are masked, and comments are blank.
func Lines(src []byte) []string {
	lines := readLines(src)
	front, _ := readFrontMatter(lines) // invalid front matter counts as text
	return withoutHidden(lines, front.body)
}

// invalidUTF8 returns the line number and the value of the first byte that is not valid UTF-8, 0 without such a byte.
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

// linesOf splits a text into lines without their line endings.
func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
}

// OneLine returns a text as one line, with one space between words.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func blank(line string) bool { return strings.TrimSpace(line) == "" }
