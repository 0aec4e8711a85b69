package main

import (
	"bytes"
	"regexp"
	"unicode"
	"unicode/utf8"
)

// ownStyle is an escape sequence that style writes.
var ownStyle = regexp.MustCompile("^\x1b\\[(0|1|2|33)m")

// sanitize replaces what could command a terminal: documents come with a repository, and
// their titles and texts are printed. Lines, tabs and the styles of this program stay.
func sanitize(text []byte) []byte {
	if bytes.IndexFunc(text, isCommand) < 0 {
		return text
	}
	clean := make([]byte, 0, len(text)+utf8.UTFMax)
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		own := ownStyle.Find(text[:min(len(text), len("\x1b[33m"))])
		switch {
		case own != nil:
			size = len(own)
			clean = append(clean, own...)
		case isCommand(r) && !bytes.HasPrefix(text, []byte("\r\n")):
			clean = utf8.AppendRune(clean, unicode.ReplacementChar)
		default:
			clean = append(clean, text[:size]...)
		}
		text = text[size:]
	}
	return clean
}

// isCommand reports whether a character commands a terminal.
func isCommand(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
