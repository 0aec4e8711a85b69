package markdown

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
)

var byteOrderMark = []byte("\ufeff")

// SetField returns src with a field of the front matter, such as status, set to a text. It keeps every other byte:
// comments, quotes, line endings, a byte order mark, a missing final newline. A missing field is added as the last line
// of the front matter, and missing front matter is added at the beginning of the file. The error says why the front
// matter cannot be read, or why it cannot be edited without other changes.
func SetField(src []byte, field, text string) ([]byte, error) {
	body := bytes.TrimPrefix(src, byteOrderMark)
	edited, err := setField(string(body), field, text)
	if err != nil {
		return nil, fmt.Errorf("set %s: %w", field, err)
	}
	mark := src[:len(src)-len(body)]
	return append(slices.Clone(mark), edited...), nil
}

func setField(body, field, text string) (string, error) {
	want, err := readFrontMatter(linesOf(body))
	lines := strings.SplitAfter(body, "\n")
	end := "\n"
	if strings.HasSuffix(lines[0], "\r\n") {
		end = "\r\n"
	}
	value := text
	if !plainText().MatchString(text) {
		value = strconv.Quote(text)
	}
	line := field + ": " + value + end
	switch {
	case err != nil:
		return "", err
	case want.body == 0:
		return "---" + end + line + "---" + end + end + body, nil
	case want.fields[field] == text:
		return body, nil
	case !want.isYAML:
		return "", fmt.Errorf("the front matter is not YAML; set %s to %q there by hand", field, text)
	}
	want.fields[field] = text
	first := strings.Join(lines[:want.first+1], "")
	front, rest := strings.Join(lines[want.first+1:want.body-1], ""), strings.Join(lines[want.body-1:], "")
	for _, edit := range append(replacements(front, field, value), front+line) {
		edited := first + edit + rest
		got, _ := readFrontMatter(linesOf(edited)) // after an error, got has no fields
		if reflect.DeepEqual(want.fields, got.fields) {
			return edited, nil
		}
	}
	return "", fmt.Errorf("the line cannot be changed without changing others; write it as `%s: %s`", field, value)
}

// plainText matches a YAML value that needs no quotes.
var plainText = lazyregexp.New(`^\pL[\pL\pN_./@+-]*(?: [\pL\pN_./+-][\pL\pN_./@+-]*)*$`)

// fieldValue matches the text after the name of a field: the closing quote of the name, the colon, and the value.
// Without quotes it matches only the first word of the value.
var fieldValue = lazyregexp.New(`^["']?[ \t]*:((?:[ \t]*\r?\n)?[ \t]+)?` +
	`("[^"\n]*"|'[^'\n]*'|[^\s,}#&*!|>\[{"']*)`)

// restOfValue matches the words after the first word of a value without quotes, up to a comment.
var restOfValue = lazyregexp.New(`^(?:[ \t]+[^\s#]\S*)*`)

// maxReplacements bounds the places where SetField tries to set the value. Other texts in the front matter may also
// have the field's name, and each place costs two decodings.
const maxReplacements = 16

// replacements returns edited versions of the front matter, up to two for each place that looks like the field. The
// first version keeps the quotes of the value, or all words after its first word. The second version replaces the whole
// value. The caller takes the version that decodes as expected.
func replacements(front, field, value string) []string {
	var edits []string
	for at := 0; len(edits) < 2*maxReplacements; {
		next := strings.Index(front[at:], field)
		if next < 0 {
			break
		}
		at += next + len(field)
		found := fieldValue().FindStringSubmatchIndex(front[at:])
		if found == nil {
			continue
		}
		start, end := at+found[4], at+found[5]
		switch {
		case start == end: // the field has no value
			start = at + strings.Index(front[at:], ":") + 1
			edits = append(edits, front[:start]+" "+value+front[start:])
		case strings.ContainsAny(front[start:start+1], `"'`):
			edits = append(edits, front[:start+1]+value+front[end-1:], front[:start]+value+front[end:])
		default:
			line := end + restOfValue().FindStringIndex(front[end:])[1]
			edits = append(edits, front[:start]+value+front[end:], front[:start]+value+front[line:])
		}
	}
	return edits
}
