// Package plain writes text that people and programs read line by line: on a terminal, in a log of CI, in the output of
// a hook. Names and texts of a hostile repository must not end a line, control a terminal or change the direction of
// writing. The package must not know the subject of the texts.
package plain

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Path returns a path with Go's quotes and escapes if the path would not print on one line, or looks as if it already
// had quotes or escapes. Otherwise it returns the path unchanged.
func Path(path string) string {
	if !Prints(path) {
		return strconv.QuoteToASCII(path) // Quote would not escape all invisible characters
	}
	if utf8.ValidString(path) && !strings.ContainsAny(path, "\"\\\ufffd") {
		return path
	}
	return strconv.Quote(path)
}

// Line returns a text as one line. Line breaks and tabs become spaces. Other characters that do more than print become
// U+FFFD.
func Line(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case !commands(r):
			return r
		case strings.ContainsRune("\t\n\r\v\f\u0085\u2028\u2029", r):
			return ' '
		default:
			return unicode.ReplacementChar
		}
	}, text)
}

// Prints reports whether a name prints on one line and does nothing else on a terminal.
func Prints(name string) bool { return strings.IndexFunc(name, commands) < 0 }

// Hook returns a text as one line without tags. Assistants put the output of a hook between tags, such as
// <system-reminder>, and the text must not end the tag.
func Hook(text string) string { return strings.ReplaceAll(Line(text), "<", "‹") }

// commands reports whether a character does more than print: controls, separators of lines and paragraphs, invisible
// characters, changes of direction. It returns false for joiners, which some scripts need, and for styles of emoji.
func commands(r rune) bool {
	const nonJoiner, joiner, textStyle, emojiStyle, blank = '\u200c', '\u200d', '\ufe0e', '\ufe0f', '\u2800'
	switch {
	case r < utf8.RuneSelf: // faster than the tables below
		return unicode.IsControl(r)
	case r == nonJoiner, r == joiner, r == textStyle, r == emojiStyle:
		return false
	default:
		return r == blank || unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Cf,
			unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
	}
}

// Count returns a number of things as a text, such as "1 document" or "2 documents".
func Count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}

// Some lists at most limit names and counts the rest: "a, b and 3 more".
func Some(names []string, limit int) string {
	switch more := len(names) - limit; {
	case len(names) == 0:
		return "none"
	case more > 0:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:limit], ", "), more)
	default:
		return strings.Join(names, ", ")
	}
}
