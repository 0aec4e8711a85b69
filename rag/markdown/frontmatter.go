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
	// maxFrontMatterBytes bounds what front matter may cost to parse and to store.
	maxFrontMatterBytes = 64 << 10
	// maxMended bounds the lines of YAML that are read as text. Each costs one decoding.
	maxMended = 8
)

// frontMatter is what stands before the text of a file. The zero value is a file without any.
type frontMatter struct {
	fields map[string]any // nil without front matter, empty for an empty one
	form   form
	// first is the index of its first line, behind blank lines and comments, and body that of the text.
	first, body int
	// notes are faults in spite of which it could be read.
	notes []Error
}

// form is how front matter is written.
type form byte

const (
	yamlForm   form = iota // between lines ---
	tomlForm               // between lines +++
	jsonForm               // an object
	logseqForm             // lines of key:: value
)

// readFrontMatter decodes the front matter of a file. The error is an *Error.
func readFrontMatter(lines []string) (frontMatter, error) {
	first := leadingLines(lines)
	if first == len(lines) {
		return frontMatter{}, nil
	}
	f := frontMatter{first: first}
	var err error
	line, rest := strings.TrimRight(lines[first], " \t"), lines[first+1:]
	startsField := len(rest) > 0 && fieldStart().MatchString(rest[0])
	switch {
	case line == "---" && (first == 0 || startsField):
		err = f.readFenced(lines, decodeYAML, "---", "...")
	case line == "+++" && startsTOML(rest):
		f.form = tomlForm
		err = f.readFenced(lines, decodeTOML, "+++")
	case jsonStart().MatchString(strings.Join(lines[first:min(first+2, len(lines))], "\n")):
		f.form = jsonForm
		err = f.readJSON(lines)
	case logseqProperty().MatchString(line):
		f.form = logseqForm
		f.readLogseq(lines)
	}
	if err != nil || f.body == 0 {
		return frontMatter{}, err
	}
	f.noteSecondBlock(lines)
	return f, nil
}

// fieldStart matches the first line of front matter that is not empty.
var fieldStart = lazyregexp.New(`^["']?[\pL_][\pL\pN_. -]*["']?\s*(?::(?:\s|$)|=)|^\[[\w.]+\]`)

// startsTOML reports whether the first line that is neither blank nor a comment is a field or a table.
func startsTOML(lines []string) bool {
	for _, line := range lines {
		if !blank(line) && line[0] != '#' {
			return fieldStart().MatchString(line)
		}
	}
	return false
}

// leadingLines returns how many lines at the beginning of a file are blank or comments.
func leadingLines(lines []string) int {
	for i := 0; i < len(lines); i++ {
		switch line := strings.TrimSpace(lines[i]); {
		case line == "":
		case strings.HasPrefix(line, "<!--"):
			end := slices.IndexFunc(lines[i:], func(line string) bool { return strings.Contains(line, "-->") })
			if end < 0 || !strings.HasSuffix(strings.TrimSpace(lines[i+end]), "-->") {
				return i
			}
			i += end
		default:
			return i
		}
	}
	return len(lines)
}

// readFenced reads the lines between the line f.first and the next one that is one of ends.
func (f *frontMatter) readFenced(
	lines []string, decode func(lines []string) (value any, line int, notes []Error, err error), ends ...string,
) error {
	start := f.first + 1
	end := slices.IndexFunc(lines[start:], func(line string) bool {
		return slices.Contains(ends, strings.TrimRight(line, " \t"))
	})
	if end < 0 {
		return errorf(start, "the front matter that begins here is never closed; end it with a line %s", ends[0])
	}
	fenced := lines[start : start+end]
	if size := len(strings.Join(fenced, "\n")); size >= maxFrontMatterBytes {
		return errorf(start, "the front matter is longer than %d KiB", maxFrontMatterBytes>>10)
	}
	value, line, notes, err := decode(fenced)
	for _, note := range notes {
		f.notes = append(f.notes, Error{Line: start + note.Line, Problem: note.Problem})
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return errorf(start+e.Line, "%s", e.Problem)
	}
	switch value := value.(type) {
	case nil:
		f.fields = map[string]any{}
	case map[string]any:
		f.fields = value
	default:
		return errorf(start+line, "the front matter is not a mapping; write it as lines of key: value")
	}
	f.body = start + end + 1
	return nil
}

var yamlLimits = yamlvalue.Limits{Depth: 32, Values: 10_000, Text: 2 * maxFrontMatterBytes}

// decodeYAML decodes lines of YAML, and returns the line on which the value begins. A line that is valid only with
// its value in quotes is read so, and noted.
func decodeYAML(lines []string) (value any, line int, notes []Error, err error) {
	lines = slices.Clone(lines)
	var first error
	for range maxMended + 1 {
		doc, err := yamlvalue.Decode(strings.Join(lines, "\n")+"\n", yamlLimits)
		if err == nil {
			return doc.Value, doc.Line, notes, nil
		}
		if first == nil {
			first = yamlError(err)
		}
		e, ok := errors.AsType[*yamlvalue.Error](err)
		if !ok || e.Mended == "" {
			break
		}
		old := lines[e.Line-1]
		lines[e.Line-1] = old[:len(old)-len(strings.TrimLeft(old, " \t"))] + e.Mended
		notes = append(notes, Error{Line: e.Line, Problem: "this line of the front matter is read as text: it " + e.Problem})
	}
	return nil, 0, nil, first
}

// yamlError turns an error of package yamlvalue into one about the file.
func yamlError(err error) error {
	e, ok := errors.AsType[*yamlvalue.Error](err)
	if !ok {
		return err
	}
	subject := "the front matter"
	if e.Key != "" {
		subject += fmt.Sprintf(" key %q", e.Key)
	}
	return errorf(e.Line, "%s %s", subject, e.Problem)
}

// noteSecondBlock notes a block behind the front matter that looks like another one.
func (f *frontMatter) noteSecondBlock(lines []string) {
	at := f.body
	for at < len(lines) && blank(lines[at]) {
		at++
	}
	if at+1 >= len(lines) || !fieldStart().MatchString(lines[at+1]) {
		return
	}
	fence := strings.TrimRight(lines[at], " \t")
	if (fence == "---" || fence == "+++") && slices.Contains(lines[at+1:], fence) {
		f.notes = append(f.notes, Error{
			Line: at + 1, Problem: "a second block of front matter begins here, and is read as text; move its fields into the first one",
		})
	}
}
