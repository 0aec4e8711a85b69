// Package plain writes text that people and programs read line by line: on a terminal, in
// a log of CI, in the line that a hook hands to an assistant. Names and texts come with a
// repository that may be hostile, so nothing of them ends a line, commands a terminal or
// changes the direction of writing. It must not know what the texts are about.
package plain

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Path returns a path as it is, or between double quotes with Go's escapes if it has a character
// that does not print on one line.
func Path(path string) string {
	if Prints(path) && utf8.ValidString(path) && !strings.ContainsAny(path, "\"\\\ufffd") {
		return path
	}
	return strconv.Quote(path)
}

// Line returns a text as one line. Line breaks and tabs become spaces; other characters that do not
// print become U+FFFD.
func Line(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune("\t\n\r\v\f\u0085\u2028\u2029", r):
			return ' '
		case commands(r):
			return unicode.ReplacementChar
		default:
			return r
		}
	}, text)
}

// Prints reports whether a name prints on one line as it is.
func Prints(name string) bool { return strings.IndexFunc(name, commands) < 0 }

// Hook returns a text as one line for the conversation of an assistant. The text opens no tag and
// closes none: assistants put what a hook says between tags, such as <system-reminder>.
func Hook(text string) string { return strings.ReplaceAll(Line(text), "<", "‹") }

// commands reports whether a character does more than print: control characters, line and paragraph
// separators, invisible characters, and those that change the direction of writing. Joiners, which
// scripts and emoji need, are allowed.
func commands(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) ||
		unicode.Is(unicode.Cf, r) && r != nonJoiner && r != joiner
}

// Count returns a number with what it counts, such as "1 document" or "2 documents".
func Count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}

// Some names the first of some things: "a, b and 3 more".
func Some(names []string, most int) string {
	switch more := len(names) - most; {
	case len(names) == 0:
		return "none"
	case more > 0:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	default:
		return strings.Join(names, ", ")
	}
}
