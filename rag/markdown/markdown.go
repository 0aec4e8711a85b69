// Package markdown turns the bytes of a markdown file into what an index needs
// of it: its front matter, title, summary and links, and the passages that are
// embedded, each with its lines in the file.
//
// It is made of pure functions. It knows markdown, YAML and the size of an
// embedding model's window; it must not know files, SQL or Ollama, nor what front
// matter means beyond title, summary and promotion_level.
//
// Input is untrusted: time and memory stay about linear in its size.
package markdown

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

const maxSummaryRunes = 300

// Document is a parsed markdown file. It is read-only after Parse, and safe for
// concurrent use.
type Document struct {
	// FrontMatter is nil when the file has none. It holds only what JSON can:
	// nil, bool, int (uint64 beyond it), float64, string, []any and
	// map[string]any. A date is the string that the file has.
	FrontMatter map[string]any
	// Title is the front matter's title, else the first H1, else "".
	Title string
	// Summary is the front matter's summary as it is, else the first paragraph
	// as plain text, cut at a word to at most 300 characters.
	Summary string
	// CharCount and LineCount are of the whole file, in Unicode characters and
	// in lines. A final newline begins no line of its own.
	CharCount, LineCount int
	// Links are the destinations of relative links, once each and in order,
	// percent-decoded and without query and fragment. Images, bare anchors and
	// whatever has a scheme or host are left out.
	Links []string

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

// Parse reads a markdown file. Its error is an *Error: markdown itself cannot be
// wrong, but front matter and the encoding can.
func Parse(src []byte) (*Document, error) {
	if err := checkEncoding(src); err != nil {
		return nil, err
	}
	text := strings.ReplaceAll(strings.TrimPrefix(string(src), "\ufeff"), "\r\n", "\n")
	lines := splitLines(text)
	block, body, err := findFrontMatter(lines)
	if err != nil {
		return nil, err
	}
	frontMatter, err := block.decode()
	if err != nil {
		return nil, err
	}

	parsed := parseBody(lines[body:])
	doc := &Document{
		FrontMatter: frontMatter, Title: parsed.title, Summary: parsed.summary, Links: parsed.links,
		CharCount: utf8.RuneCount(src), LineCount: len(lines),
		outline: newOutline(lines, body, parsed),
	}
	if title, ok := frontMatter["title"].(string); ok && strings.TrimSpace(title) != "" {
		doc.Title = collapse(title)
	}
	if summary, ok := frontMatter["summary"].(string); ok && strings.TrimSpace(summary) != "" {
		doc.Summary = strings.TrimSpace(summary)
	}
	return doc, nil
}

// checkEncoding refuses what a PostgreSQL text cannot hold.
func checkEncoding(src []byte) error {
	if i := bytes.IndexByte(src, 0); i >= 0 {
		return errorf(lineAt(src, i), "holds a NUL byte; save the file as UTF-8 text")
	}
	if utf8.Valid(src) {
		return nil
	}
	at := 0
	for at < len(src) {
		r, size := utf8.DecodeRune(src[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return errorf(lineAt(src, at), "is not valid UTF-8 (byte 0x%02x); save the file as UTF-8 text", src[at])
}

func lineAt(src []byte, offset int) int { return 1 + bytes.Count(src[:offset], []byte("\n")) }

// splitLines returns the lines of text without their newlines.
func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// collapse makes s one line with single spaces.
func collapse(s string) string { return strings.Join(strings.Fields(s), " ") }

func blank(line string) bool { return strings.TrimSpace(line) == "" }
