package markdown

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/internal/project/yamlvalue"
)

const (
	// maxFrontMatterBytes bounds the time to parse front matter and the space to store it.
	maxFrontMatterBytes = 64 << 10
	// maxMended is how many invalid lines of YAML are repaired: their values are read as plain strings. Each repair costs
	// one more decoding.
	maxMended = 8
)

// frontMatter is the front matter of a file. The zero value means that the file has none.
type frontMatter struct {
	fields map[string]any // nil without front matter, empty for empty front matter
	isYAML bool
	// first is the index of the line --- or +++ that begins the front matter. body is the index of the first line of text.
	first, body int
	// notes are faults that did not prevent reading.
	notes []Error
}

// readFrontMatter decodes front matter: YAML between lines ---, or TOML between lines +++. The error is an *[Error].
func readFrontMatter(lines []string) (frontMatter, error) {
	f := frontMatter{first: leadingLines(lines)}
	if f.first == len(lines) {
		return frontMatter{}, nil
	}
	begin, rest := strings.TrimRight(lines[f.first], " \t"), lines[f.first+1:]
	var err error
	switch {
	case begin == "---" && opensYAML(rest, f.first == 0):
		f.isYAML = true
		err = f.readFenced(rest, decodeYAML, "---", "...")
	case begin == "+++" && fieldStart().MatchString(firstText(rest)):
		err = f.readFenced(rest, decodeTOML, "+++")
	}
	if err != nil || f.body == 0 {
		return frontMatter{}, err
	}
	f.noteSecondBlock(lines)
	return f, nil
}

// opensYAML reports whether a line --- begins front matter, and is not a thematic break. rest has the lines after it.
func opensYAML(rest []string, isFirst bool) bool {
	switch {
	case len(rest) == 0:
		return false
	case blank(rest[0]):
		return isFirst && fieldStart().MatchString(firstText(rest)) && slices.Contains(rest, "---")
	default:
		return isFirst || fieldStart().MatchString(rest[0])
	}
}

// fieldStart matches the beginning of a line with a field of YAML or TOML, or with the name of a TOML table.
var fieldStart = lazyregexp.New(`^["']?[\pL_][\pL\pN_. -]*["']?\s*(?::(?:\s|$)|=)|^\[[\w.]+\]`)

// firstText returns the first line that is neither blank nor a TOML comment, "" for none.
func firstText(lines []string) string {
	at := slices.IndexFunc(lines, func(line string) bool { return !blank(line) && line[0] != '#' })
	return strings.Join(lines[max(at, 0):at+1], "")
}

// leadingLines returns how many lines at the beginning of a file are blank or HTML comments.
func leadingLines(lines []string) int {
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		if strings.HasPrefix(line, "<!--") {
			end := slices.IndexFunc(lines[i:], func(line string) bool { return strings.Contains(line, "-->") })
			i += max(end, 0)
			line = strings.TrimSpace(lines[i])
			if strings.HasSuffix(line, "-->") {
				continue
			}
		}
		if line != "" {
			return i
		}
	}
	return len(lines)
}

// readFenced decodes the lines up to one of the delimiters. The first of the lines follows the line f.first.
func (f *frontMatter) readFenced(
	lines []string, decode func(lines []string, first int) (map[string]any, []Error, error), delimiters ...string,
) error {
	end := slices.IndexFunc(lines, func(line string) bool { return slices.Contains(delimiters, strings.TrimRight(line, " \t")) })
	if end < 0 {
		return errorf(f.first+1, "the front matter that begins here is never closed; end it with a line %s", delimiters[0])
	}
	if len(strings.Join(lines[:end], "\n")) >= maxFrontMatterBytes {
		return errorf(f.first+1, "the front matter is longer than %d KiB", maxFrontMatterBytes>>10)
	}
	f.body = f.first + end + 2
	var err error
	f.fields, f.notes, err = decode(lines[:end], f.first+2)
	return err
}

var yamlLimits = yamlvalue.Limits{Depth: 32, Values: 10_000, Text: 2 * maxFrontMatterBytes, TextKeys: []string{"title"}}

// decodeYAML decodes lines of YAML. first is the line number of lines[0] in the file. If a line is valid only with its
// value in quotes, decodeYAML reads the value as a plain string and adds a note.
func decodeYAML(lines []string, first int) (fields map[string]any, notes []Error, err error) {
	doc, fault := yamlvalue.Decode(strings.Join(lines, "\n")+"\n", yamlLimits)
	for err := fault; err != nil; {
		e, ok := errors.AsType[*yamlvalue.Error](err)
		if !ok || e.Mended == "" || len(notes) == maxMended {
			return nil, nil, yamlError(fault, first)
		}
		lines = slices.Clone(lines)
		old := lines[e.Line-1]
		lines[e.Line-1] = old[:len(old)-len(strings.TrimLeft(old, " \t"))] + e.Mended
		notes = append(notes, Error{Line: first + e.Line - 1, Problem: "this line is read as text: it " + e.Problem})
		doc, err = yamlvalue.Decode(strings.Join(lines, "\n")+"\n", yamlLimits)
	}
	switch value := doc.Value.(type) {
	case nil:
		return map[string]any{}, notes, nil
	case map[string]any:
		return value, notes, nil
	default:
		return nil, nil, errorf(first+doc.Line-1, "the front matter is not a mapping; write it as lines of key: value")
	}
}

// yamlError turns an error of package yamlvalue into an *[Error]. first is the line number at which the YAML begins.
func yamlError(err error, first int) error {
	e, ok := errors.AsType[*yamlvalue.Error](err)
	if !ok {
		return err
	}
	subject := "the front matter"
	if e.Key != "" {
		subject += fmt.Sprintf(" key %q", e.Key)
	}
	return errorf(first+e.Line-1, "%s %s", subject, e.Problem)
}

// noteSecondBlock adds a note if a second block that looks like front matter follows the front matter.
func (f *frontMatter) noteSecondBlock(lines []string) {
	at := f.body
	for at < len(lines) && blank(lines[at]) {
		at++
	}
	isBlock := at+1 < len(lines) && fieldStart().MatchString(lines[at+1]) && slices.Contains([]string{"---", "+++"}, lines[at])
	if isBlock && slices.Contains(lines[at+1:], lines[at]) {
		f.notes = append(f.notes, Error{
			Line: at + 1, Problem: "a second block of front matter begins here, and is read as text; move its fields into the first one",
		})
	}
}
