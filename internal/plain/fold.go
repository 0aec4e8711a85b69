package plain

import (
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// usualWidth is that of a terminal which does not say.
const usualWidth = 80

// Fold breaks a text between words, so that a terminal shows none of its lines cut in two when
// each has indent columns before it. Elsewhere it is one line. Do not fold what people copy.
func Fold(w io.Writer, indent int, text string) (lines []string) {
	const least = 20
	text = Line(text)
	room := width(w) - indent
	if room < least {
		return []string{text}
	}
	line := ""
	for word := range strings.SplitSeq(text, " ") {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > room {
			lines, line = append(lines, line), word
			continue
		}
		line += strings.Repeat(" ", min(1, len(line))) + word
	}
	return append(lines, line)
}

// Hanging is Fold as one text, for a line of which indent columns are taken.
func Hanging(w io.Writer, indent int, text string) Marked {
	return Marked(strings.Join(Fold(w, indent, text), "\n"+strings.Repeat(" ", indent)))
}

// width returns the columns of a terminal, and 0 for what is none.
func width(w io.Writer) int {
	file := terminal(w)
	if file == nil {
		return 0
	}
	if columns, _, err := term.GetSize(int(file.Fd())); err == nil && columns > 0 {
		return columns
	}
	return usualWidth
}
