package plain

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Printf is [fmt.Fprintf] with values that may be hostile. It passes texts, errors and values with a String method
// through [Line]. A [Block] keeps its line breaks, and a [Marked] keeps its colours.
func Printf(w io.Writer, format string, values ...any) {
	fmt.Fprintf(w, format, lines(values)...)
}

// Println is [fmt.Fprintln] with values that may be hostile. It treats values like [Printf].
func Println(w io.Writer, values ...any) { fmt.Fprintln(w, lines(values)...) }

func lines(values []any) []any {
	safe := make([]any, len(values))
	for i, value := range values {
		switch v := value.(type) {
		case Marked:
			safe[i] = string(v)
		case Block:
			safe[i] = v.String()
		case error:
			safe[i] = Line(v.Error())
		case fmt.Stringer:
			safe[i] = Line(v.String())
		default:
			safe[i] = value
			if text := reflect.ValueOf(value); text.Kind() == reflect.String {
				safe[i] = Line(text.String())
			}
		}
	}
	return safe
}

// Block is a text of several lines, such as an answer. It may contain tabs.
type Block string

// String returns the text, with U+FFFD instead of each character that does more than print.
func (b Block) String() string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && commands(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ReplaceAll(string(b), "\r\n", "\n"))
}

// Marked is a safe line that may have escape sequences for colours.
type Marked string

// Style marks parts of a line with colours, or does nothing if the reader cannot see colours.
type Style struct{ colours bool }

// StyleFor returns the style for w. It has colours if w is a terminal with colours and NO_COLOR (https://no-color.org)
// is not set.
func StyleFor(w io.Writer) Style {
	return Style{IsTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

// Bold marks important text.
func (s Style) Bold(text string) Marked { return s.mark("1", text) }

// Dim marks less important text.
func (s Style) Dim(text string) Marked { return s.mark("2", text) }

// Yellow marks a warning.
func (s Style) Yellow(text string) Marked { return s.mark("33", text) }

func (s Style) mark(code, text string) Marked {
	text = Line(text)
	if !s.colours || text == "" {
		return Marked(text)
	}
	return Marked("\x1b[" + code + "m" + text + "\x1b[0m")
}

// JSON writes a value as indented JSON. It escapes characters that do more than print.
func JSON(w io.Writer, value any) error {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("print JSON: %w", err)
	}
	var escaped strings.Builder
	for _, r := range text.String() {
		if r == '\n' || !commands(r) {
			escaped.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&escaped, `\u%04x`, unit)
		}
	}
	if _, err := io.WriteString(w, escaped.String()); err != nil {
		return fmt.Errorf("print JSON: %w", err)
	}
	return nil
}
