package markdown

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// promotionKey is the front matter's key of the promotion level.
const promotionKey = "promotion_level"

var byteOrderMark = []byte("\ufeff")

// SetPromotionLevel returns src with promotion_level in its front matter set to
// level. Every other byte stays: comments, quotes, line endings, byte order
// mark, a missing last newline. A front matter without the key gets a line for
// it at its end, and a file without front matter gets one. The error says why
// the front matter cannot be edited that way.
func SetPromotionLevel(src []byte, level string) ([]byte, error) {
	lines := strings.SplitAfter(string(bytes.TrimPrefix(src, byteOrderMark)), "\n")
	closing := closingLine(lines)
	var edited []string
	if closing < 0 {
		edited = prepend(lines, level)
	} else {
		front, err := editFrontMatter(lines[1:closing], level, ending(lines[0]))
		if err != nil {
			return nil, fmt.Errorf("set %s: %w", promotionKey, err)
		}
		edited = append(append([]string{lines[0]}, front...), lines[closing:]...)
	}
	result := []byte(strings.Join(edited, ""))
	if bytes.HasPrefix(src, byteOrderMark) {
		result = append(bytes.Clone(byteOrderMark), result...)
	}
	return result, nil
}

// ending is the line's own line ending.
func ending(line string) string {
	if strings.HasSuffix(line, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// closingLine returns the index of the line that ends the front matter, or -1
// if there is none.
func closingLine(lines []string) int {
	if strings.TrimRight(lines[0], " \t\r\n") != "---" {
		return -1
	}
	for i, line := range lines[1:] {
		switch strings.TrimRight(line, " \t\r\n") {
		case "---", "...":
			return i + 1
		}
	}
	return -1
}

func prepend(lines []string, level string) []string {
	end := ending(lines[0])
	return append([]string{"---" + end, promotionKey + ": " + level + end, "---" + end, end}, lines...)
}

// editFrontMatter sets the key in the lines between the delimiters, and makes
// sure that nothing else has changed its meaning.
func editFrontMatter(lines []string, level, end string) ([]string, error) {
	before, err := decodeLines(lines)
	if err != nil {
		return nil, err
	}
	edited := slices.Clone(lines)
	switch found, err := findLevel(lines); {
	case err != nil:
		return nil, err
	case found == nil && isFlow(lines):
		return nil, errors.New("the front matter is one {…} mapping; write one key a line")
	case found == nil:
		edited = append(edited, promotionKey+": "+level+end)
	default:
		if err := found.replace(edited, level); err != nil {
			return nil, err
		}
	}
	after, err := decodeLines(edited)
	if err != nil {
		return nil, fmt.Errorf("the edited front matter cannot be read: %w", err)
	}
	want := maps.Clone(before)
	if want == nil {
		want = map[string]any{}
	}
	want[promotionKey] = level
	if !reflect.DeepEqual(want, after) {
		return nil, errors.New("the line cannot be changed without changing others; write it as `promotion_level: standard`")
	}
	return edited, nil
}

// yamlText is the lines with their endings made plain.
func yamlText(lines []string) []byte {
	return []byte(strings.ReplaceAll(strings.Join(lines, ""), "\r\n", "\n"))
}

func decodeLines(lines []string) (map[string]any, error) {
	var values map[string]any
	if err := yaml.Unmarshal(yamlText(lines), &values); err != nil {
		return nil, errors.New("the front matter is no valid YAML mapping")
	}
	return values, nil
}

func isFlow(lines []string) bool {
	return strings.HasPrefix(strings.TrimSpace(string(yamlText(lines))), "{")
}

// place is where the key's value stands.
type place struct {
	// line and column are those of the key, from 0, columns in characters.
	line, column int
	// key and value are as they are written, with their quotes; value is "" for a null.
	key, value string
	// below is set when the value is on the line after the key's.
	below bool
}

// findLevel returns nil if the front matter does not have the key.
func findLevel(lines []string) (*place, error) {
	file, err := parser.ParseBytes(yamlText(lines), 0)
	if err != nil || len(file.Docs) == 0 {
		return nil, err
	}
	var pairs []*ast.MappingValueNode
	switch body := file.Docs[0].Body.(type) {
	case *ast.MappingNode:
		pairs = body.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{body}
	}
	for _, pair := range pairs {
		key := pair.Key.GetToken()
		if key.Value != promotionKey {
			continue
		}
		found := &place{
			line: key.Position.Line - 1, column: key.Position.Column - 1, key: strings.TrimSpace(key.Origin),
		}
		switch node := pair.Value.(type) {
		case *ast.StringNode:
			token := node.GetToken()
			found.value = strings.TrimSpace(token.Origin)
			found.below = token.Position.Line == key.Position.Line+1
			return found, nil
		case *ast.NullNode:
			return found, nil
		default:
			return nil, errPlain
		}
	}
	return nil, nil
}

var errPlain = errors.New("its value is no plain text; write it as `promotion_level: standard`")

// replace writes level in the value's place, in the quotes that were there.
func (p *place) replace(lines []string, level string) error {
	runes := []rune(lines[p.line])
	rest, ok := strings.CutPrefix(string(runes[min(p.column, len(runes)):]), p.key)
	if !ok {
		return errPlain
	}
	gap, rest, ok := strings.Cut(rest, ":")
	if !ok || strings.TrimSpace(gap) != "" {
		return errPlain
	}
	line, head := p.line, string(runes[:p.column])+p.key+gap+":"
	if p.below {
		line, head, rest = p.line+1, "", lines[p.line+1]
	}
	trimmed := strings.TrimLeft(rest, " \t")
	head += rest[:len(rest)-len(trimmed)]
	if p.value == "" {
		lines[line] = p.fill(head, trimmed, level)
		return nil
	}
	tail, ok := strings.CutPrefix(trimmed, p.value)
	if !ok {
		return errPlain
	}
	if quote := p.value[0]; quote == '"' || quote == '\'' {
		level = string(quote) + level + string(quote)
	}
	lines[line] = head + level + tail
	return nil
}

// fill puts level where a null stands, or nothing.
func (p *place) fill(head, rest, level string) string {
	for _, null := range []string{"~", "null", "Null", "NULL"} {
		if tail, ok := strings.CutPrefix(rest, null); ok {
			return head + level + tail
		}
	}
	if strings.HasSuffix(head, ":") {
		head += " "
	}
	if strings.HasPrefix(rest, "#") {
		level += " "
	}
	return head + level + rest
}
