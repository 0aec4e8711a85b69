// Package yamlvalue decodes untrusted YAML into values of JSON. It bounds nesting and aliases, and names the
// line of each error. It must not know what a text is for.
package yamlvalue

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// Limits bounds a YAML text. Every alias counts as a copy of its target. The caller must bound the length of the text,
// because time and memory grow with the length.
type Limits struct {
	Depth  int // nesting of collections
	Values int
	Text   int // bytes of all keys and texts
	// TextKeys are top-level keys. A number or a boolean under such a key becomes a string, so that 1.10 keeps its zero.
	TextKeys []string
}

// Decoded is the value of a YAML document.
type Decoded struct {
	// Value is nil, bool, int (uint64 for larger numbers), float64, string, []any or map[string]any. It is
	// nil for an empty document.
	Value any
	Line  int // where the value begins, 1-based
}

// Error says what is wrong with a text, and where.
type Error struct {
	Line, Column int    // 1-based
	Key          string // such as tags[1] or contact.email; "" for the whole text
	Problem      string // completes the sentence that Key begins: "is given twice"
	Mended       string // the line with quotes and without indentation, if quotes make it valid; otherwise ""
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, strings.TrimSpace(e.Key+" "+e.Problem))
}

// Decode decodes a text of at most one YAML document. The error is an *Error.
func Decode(text string, limits Limits) (Decoded, error) {
	root, err := parse(text)
	if err != nil || root == nil {
		return Decoded{Line: 1}, err
	}
	d := decoder{limits: limits}
	value, err := d.value(root, "")
	if err != nil {
		return Decoded{}, err
	}
	return Decoded{Value: value, Line: root.Line}, nil
}

// parse returns the root of a text's only YAML document, or nil for an empty text. The library bounds the nesting. The
// error is an *Error.
func parse(text string) (*yaml.Node, error) {
	loader, err := yaml.NewLoader(strings.NewReader(text))
	if err != nil {
		return nil, syntaxError(err, text)
	}
	var first, second yaml.Node
	switch err := loader.Load(&first); {
	case errors.Is(err, io.EOF):
		return nil, nil //nolint:nilnil // an empty text has no root
	case err != nil:
		e := syntaxError(err, text)
		lines := strings.Split(text, "\n")
		e.Mended = quoted(lines[min(e.Line, len(lines))-1])
		if e.Mended != "" {
			e.Problem += "; put the text in quotes: " + e.Mended
		}
		return nil, e
	}
	switch err := loader.Load(&second); {
	case err == nil:
		return nil, errorAt(&second, "", "holds a second YAML document")
	case !errors.Is(err, io.EOF):
		return nil, syntaxError(err, text)
	}
	return first.Content[0], nil
}

// syntaxError turns an error of the loader into an *Error.
func syntaxError(err error, text string) *Error {
	located, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		return &Error{Line: 1, Column: 1, Problem: "is not valid YAML: " + err.Error()}
	}
	e := &Error{Line: located.Mark.Line, Column: located.Mark.Column}
	e.Problem = fmt.Sprintf("is not valid YAML: %.200s", located.Message)
	if e.Line == 0 { // the loader does not know the line of a forbidden character
		before := text[:max(0, strings.IndexFunc(text, unreadable))]
		e.Line = strings.Count(before, "\n") + 1
		e.Column = utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	}
	isUnclosed := strings.Contains(located.ContextMsg, "flow") || strings.Contains(located.ContextMsg, "quoted")
	if begin := located.ContextMark; isUnclosed && begin.Line > 0 {
		e.Line, e.Column = begin.Line, begin.Column
	}
	return e
}

// quoted returns a line "key: value" or "- value" with the value in quotes, if the line is valid YAML only with quotes.
// In a list in brackets it quotes each item. It returns "" for any other line, and for a long line.
func quoted(line string) string {
	const longest = 300
	line = strings.TrimSpace(line)
	key, value, ok := strings.Cut(line, ": ")
	separator := ": "
	if item, isItem := strings.CutPrefix(line, "- "); isItem && strings.ContainsAny(item[:min(1, len(item))], "@*`%[{\"'") {
		key, value, separator, ok = "-", item, " ", true
	}
	value = strings.TrimSpace(value)
	isOpenList := strings.HasPrefix(value, "[") && !strings.Contains(value, "]")
	isOpen := strings.HasPrefix(value, `"`) && strings.Count(value, `"`) == 1
	if !ok || len(line) > longest || isOpenList || isOpen || isValid(line) {
		return ""
	}
	if strings.HasPrefix(value, "'") {
		value = strings.Trim(value, "'")
	}
	mended := key + separator + inQuotes(value)
	if list, isList := strings.CutPrefix(value, "["); isList && strings.Index(list, "]") == len(list)-1 {
		var items []string
		for item := range strings.SplitSeq(strings.TrimSuffix(list, "]"), ",") {
			items = append(items, inQuotes(strings.Trim(strings.TrimSpace(item), `'"`)))
		}
		mended = key + separator + "[" + strings.Join(items, ", ") + "]"
	}
	if !isValid(mended) {
		return ""
	}
	return mended
}

func inQuotes(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

func isValid(text string) bool { return yaml.Unmarshal([]byte(text), &yaml.Node{}) == nil }

// unreadable reports whether YAML forbids a character even in quotes.
func unreadable(r rune) bool {
	return r == utf8.RuneError || unicode.IsControl(r) && !strings.ContainsRune("\t\n\r\u0085", r)
}

func errorAt(node *yaml.Node, key, format string, args ...any) *Error {
	return &Error{
		Line: max(node.Line, 1), Column: max(node.Column, 1), Key: shortened(key), Problem: fmt.Sprintf(format, args...),
	}
}

// decoder turns nodes into Go values. Unlike the decoder of the YAML library, it accepts only values that JSON can
// hold, and names the key and the place of an error.
type decoder struct {
	limits Limits
	values int
	text   int // bytes of all keys and values
	depth  int
}

// value decodes the node at the key path ("" for the root).
func (d *decoder) value(node *yaml.Node, path string) (any, error) {
	d.depth++
	defer func() { d.depth-- }()
	if d.depth > d.limits.Depth {
		return nil, errorAt(node, "", "nests deeper than %d levels", d.limits.Depth)
	}
	if d.values++; d.values > d.limits.Values {
		return nil, errorAt(node, "", "holds more than %d values", d.limits.Values)
	}
	switch node.Kind {
	case yaml.AliasNode:
		return d.value(node.Alias, path) // an alias inside its own anchor exceeds a limit
	case yaml.MappingNode:
		if node.Tag == "!!map" {
			return d.mapping(node.Content, path)
		}
	case yaml.SequenceNode:
		if node.Tag == "!!seq" {
			return d.sequence(node.Content, path)
		}
	default:
		return d.scalar(node, path)
	}
	return nil, badTag(node, path)
}

func badTag(node *yaml.Node, path string) *Error {
	return errorAt(node, path, "has the tag %.60s, which has no JSON equivalent", node.Tag)
}

func (d *decoder) scalar(node *yaml.Node, path string) (any, error) {
	switch node.Tag {
	case "!!str", "!!timestamp", "!!merge": // a date stays as it is written
		return d.storable(node, node.Value, path)
	case "!!null":
		return nil, nil //nolint:nilnil // YAML's null.
	case "!!bool", "!!int", "!!float":
		if slices.Contains(d.limits.TextKeys, path) {
			return d.storable(node, node.Value, path)
		}
	default:
		return nil, badTag(node, path)
	}
	var value any
	if err := node.Load(&value); err != nil {
		return nil, errorAt(node, path, "is %.60q, which is not of the type %s", node.Value, node.Tag)
	}
	if f, ok := value.(float64); ok && (math.IsInf(f, 0) || math.IsNaN(f)) {
		return nil, errorAt(node, path, "is not a finite number, which has no JSON equivalent")
	}
	return value, nil
}

// mapping decodes keys and values, which alternate in content.
func (d *decoder) mapping(content []*yaml.Node, path string) (any, error) {
	values := make(map[string]any, len(content)/2)
	for i := 0; i+1 < len(content); i += 2 {
		name := content[i]
		switch {
		case name.Kind != yaml.ScalarNode:
			return nil, errorAt(name, path, "holds a key that is not a plain text")
		case name.Tag == "!!merge":
			return nil, errorAt(name, path, "holds a merge key (<<); write the keys out")
		}
		key, err := d.storable(name, name.Value, path)
		if err != nil {
			return nil, err
		}
		keyPath := cmp.Or(key, `""`)
		if path != "" {
			keyPath = shortened(path) + "." + keyPath
		}
		if _, ok := values[key]; ok {
			return nil, errorAt(name, keyPath, "is given twice")
		}
		value, err := d.value(content[i+1], keyPath)
		if err != nil {
			return nil, err
		}
		values[key] = value
	}
	return values, nil
}

func (d *decoder) sequence(content []*yaml.Node, path string) (any, error) {
	values := make([]any, 0, len(content))
	for i, item := range content {
		value, err := d.value(item, fmt.Sprintf("%s[%d]", shortened(path), i))
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	return values, nil
}

// shortened cuts off the beginning of a path of keys if the path is too long for a message.
func shortened(path string) string {
	const most = 200
	if len(path) <= most {
		return path
	}
	return "…" + strings.ToValidUTF8(path[len(path)-most:], "")
}

// storable returns s, or an error if PostgreSQL cannot store it or if all texts together exceed the limit.
func (d *decoder) storable(node *yaml.Node, s, path string) (string, error) {
	if d.text += len(s); d.text > d.limits.Text {
		return "", errorAt(node, "", "holds more than %d KiB with its aliases written out", d.limits.Text>>10)
	}
	if strings.ContainsRune(s, 0) {
		return "", errorAt(node, path, "holds a NUL character")
	}
	if !utf8.ValidString(s) {
		return "", errorAt(node, path, "is not valid UTF-8")
	}
	return s, nil
}
