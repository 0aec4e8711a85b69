package markdown

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/compound-docs/compound-docs/internal/yamlvalue"
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
	text := strings.ReplaceAll(strings.Join(lines, ""), "\r\n", "\n")
	if strings.ContainsAny(text, "\r\u0085\u2028\u2029") { // to YAML each ends a line
		return nil, errors.New("the front matter has a line break that is not a line feed; end each line with a line feed")
	}
	root, err := yamlvalue.Parse(text, frontMatterLimits())
	if err != nil {
		return nil, yamlError(err)
	}
	edited := slices.Clone(lines)
	if root == nil {
		return append(edited, promotionKey+": "+level+end), nil
	}
	for i := 0; root.Kind == yaml.MappingNode && i+1 < len(root.Content); i += 2 {
		if key := root.Content[i]; key.Value == promotionKey {
			return edited, replaceValue(edited, key, root.Content[i+1], level)
		}
	}
	if root.Style&yaml.FlowStyle != 0 {
		return nil, errors.New("the front matter is one {…} mapping; write one key a line")
	}
	return append(edited, promotionKey+": "+level+end), nil
}

var errPlain = errors.New("its value is no plain text; write it as `promotion_level: standard`")

// replaceValue replaces the value of a key with level, and keeps its quotes.
func replaceValue(lines []string, key, value *yaml.Node, level string) error {
	if value.Kind != yaml.ScalarNode {
		return errPlain
	}
	if value.Value == "" && value.Style == 0 { // nothing stands where the value should be
		before, after, ok := cutAt(lines, key)
		gap, after, hasColon := strings.Cut(after, ":")
		if !ok || !hasColon || strings.TrimSpace(gap) != "" {
			return errPlain
		}
		lines[key.Line-1] = before + asWritten(key) + gap + ": " + level + after
		return nil
	}
	before, after, ok := cutAt(lines, value)
	if !ok {
		return errPlain
	}
	replaced := *value
	replaced.Value = level
	lines[value.Line-1] = before + asWritten(&replaced) + after
	return nil
}

// cutAt returns what is before and after a scalar on its line. It reports false if the
// text there is not that of the scalar: it has escapes, an anchor, a tag or several lines.
func cutAt(lines []string, node *yaml.Node) (before, after string, ok bool) {
	line := []rune(lines[node.Line-1])
	column := min(node.Column-1, len(line))
	after, ok = strings.CutPrefix(string(line[column:]), asWritten(node))
	return string(line[:column]), after, ok
}

// asWritten returns the text of a scalar that has no escapes, with its quotes.
func asWritten(node *yaml.Node) string {
	switch node.Style {
	case yaml.DoubleQuotedStyle:
		return `"` + node.Value + `"`
	case yaml.SingleQuotedStyle:
		return "'" + node.Value + "'"
	default:
		return node.Value
	}
}
