package markdown

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// promotionKey is the front matter's key of the promotion level.
const promotionKey = "promotion_level"

var byteOrderMark = []byte("\ufeff")

// SetPromotionLevel returns src with promotion_level in its front matter set to level.
// It keeps every other byte: comments, quotes, line endings, a byte order mark, a
// missing final newline. If the front matter lacks the key, it adds a line at the end;
// if src has no front matter, it adds one. The error says why the front matter cannot
// be edited in this way; a file for which Parse fails has front matter that cannot be
// read, unless it only begins with a thematic break.
func SetPromotionLevel(src []byte, level string) ([]byte, error) {
	edited, err := setPromotionLevel(src, level)
	if err != nil {
		return nil, fmt.Errorf("set %s: %w", promotionKey, err)
	}
	return edited, nil
}

func setPromotionLevel(src []byte, level string) ([]byte, error) {
	body, marked := bytes.CutPrefix(src, byteOrderMark)
	block, behind, err := frontMatterOf(body)
	if err != nil && !startsWithBreak(body) {
		return nil, err
	}
	want, err := block.decode()
	if err != nil {
		return nil, err
	}
	lines := strings.SplitAfter(string(body), "\n")
	if !block.found {
		want, lines = map[string]any{}, prepend(lines, level)
	} else {
		front, err := editFrontMatter(lines[1:behind-1], level, ending(lines[0]))
		if err != nil {
			return nil, err
		}
		lines = slices.Concat(lines[:1], front, lines[behind-1:])
	}
	want[promotionKey] = level
	edited := []byte(strings.Join(lines, ""))
	if got, err := decodeFrontMatter(edited); err != nil || !reflect.DeepEqual(want, got) {
		return nil, errors.New("the line cannot be changed without changing others; write it as `promotion_level: standard`")
	}
	if marked {
		edited = slices.Concat(byteOrderMark, edited)
	}
	return edited, nil
}

// startsWithBreak reports whether the first line of a file, ---, which no other closes, is
// a thematic break: nothing is on the line below it.
func startsWithBreak(body []byte) bool {
	lines := bytes.SplitN(body, []byte("\n"), 3)
	return len(lines) < 2 || blank(string(lines[1]))
}

// frontMatterOf returns the front matter as Parse reads it, and the index of the first
// line after it.
func frontMatterOf(body []byte) (frontMatter, int, error) {
	return findFrontMatter(splitLines(strings.ReplaceAll(string(body), "\r\n", "\n")))
}

func decodeFrontMatter(body []byte) (map[string]any, error) {
	block, _, err := frontMatterOf(body)
	if err != nil {
		return nil, err
	}
	return block.decode()
}

// ending returns the line ending of a line.
func ending(line string) string {
	if strings.HasSuffix(line, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

func prepend(lines []string, level string) []string {
	end := ending(lines[0])
	return append([]string{"---" + end, promotionKey + ": " + level + end, "---" + end, end}, lines...)
}

// editFrontMatter sets the key in the lines between the delimiters.
func editFrontMatter(lines []string, level, end string) ([]string, error) {
	if bytes.ContainsRune(yamlText(lines), '\r') { // to YAML it ends a line
		return nil, errors.New("the front matter has a carriage return without a line feed; end each line with a line feed")
	}
	edited := slices.Clone(lines)
	switch at, found, err := findLevel(lines); {
	case err != nil:
		return nil, err
	case found:
		return edited, at.replace(edited, level)
	case isFlow(lines):
		return nil, errors.New("the front matter is one {…} mapping; write one key a line")
	default:
		return append(edited, promotionKey+": "+level+end), nil
	}
}

// yamlText joins the lines, with LF as their ending.
func yamlText(lines []string) []byte {
	return []byte(strings.ReplaceAll(strings.Join(lines, ""), "\r\n", "\n"))
}

func isFlow(lines []string) bool {
	return strings.HasPrefix(strings.TrimSpace(string(yamlText(lines))), "{")
}

// place is the position of the key and its value.
type place struct {
	// line and column are those of the key, from 0, columns in characters.
	line, column int
	// key and value are the text in the file, with quotes. value is "" for null.
	key, value string
	// below is set if the value is on the line after the key.
	below bool
}

// findLevel finds the key in the front matter. It reports false if the key is missing.
func findLevel(lines []string) (at place, found bool, err error) {
	file, err := parser.ParseBytes(yamlText(lines), 0)
	if err != nil {
		return place{}, false, fmt.Errorf("parse front matter: %w", err)
	}
	if len(file.Docs) == 0 {
		return place{}, false, nil
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
		at = place{line: key.Position.Line - 1, column: key.Position.Column - 1, key: strings.TrimSpace(key.Origin)}
		switch node := pair.Value.(type) {
		case *ast.StringNode:
			token := node.GetToken()
			at.value = strings.TrimSpace(token.Origin)
			at.below = token.Position.Line == key.Position.Line+1
			return at, true, nil
		case *ast.NullNode:
			return at, true, nil
		default:
			return place{}, false, errPlain
		}
	}
	return place{}, false, nil
}

var errPlain = errors.New("its value is no plain text; write it as `promotion_level: standard`")

// replace replaces the value with level, and keeps its quotes.
func (p place) replace(lines []string, level string) error {
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

// fill returns the line with level in place of null or of a missing value.
func (p place) fill(head, rest, level string) string {
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
