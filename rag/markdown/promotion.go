package markdown

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
)

// promotionKey is the front matter's key of the promotion level.
const promotionKey = "promotion_level"

var byteOrderMark = []byte("\ufeff")

// SetPromotionLevel returns src with promotion_level in its front matter set to level. It keeps every other
// byte: comments, quotes, line endings, a byte order mark, a missing final newline. If the front matter lacks
// the key, it adds a line at the end; if src has no front matter, it adds one. The error says why the front
// matter cannot be edited in this way; a file for which Parse fails has front matter that cannot be read,
// unless it only begins with a thematic break.
func SetPromotionLevel(src []byte, level string) ([]byte, error) {
	body := bytes.TrimPrefix(src, byteOrderMark)
	edited, err := setPromotionLevel(string(body), level)
	if err != nil {
		return nil, fmt.Errorf("set %s: %w", promotionKey, err)
	}
	mark := src[:len(src)-len(body)]
	return append(slices.Clone(mark), edited...), nil
}

func setPromotionLevel(body, level string) (string, error) {
	want, behind, err := readFrontMatter(linesOf(body))
	lines := strings.SplitAfter(body, "\n")
	end := "\n"
	if strings.HasSuffix(lines[0], "\r\n") {
		end = "\r\n"
	}
	line := promotionKey + ": " + level + end
	switch {
	case behind == 0 && (err == nil || startsWithBreak(lines)):
		return "---" + end + line + "---" + end + end + body, nil
	case err != nil:
		return "", err
	case want[promotionKey] == level:
		return body, nil
	}
	want[promotionKey] = level
	front, rest := strings.Join(lines[1:behind-1], ""), strings.Join(lines[behind-1:], "")
	for _, edit := range append(replacements(front, level), front+line) {
		edited := lines[0] + edit + rest
		got, _, _ := readFrontMatter(linesOf(edited)) // an error leaves it without a level
		if reflect.DeepEqual(want, got) {
			return edited, nil
		}
	}
	return "", errors.New("the line cannot be changed without changing others; write it as `promotion_level: standard`")
}

// startsWithBreak reports whether the first line of a file, ---, which no other closes, is
// a thematic break: nothing is on the line below it.
func startsWithBreak(lines []string) bool { return len(lines) < 2 || blank(lines[1]) }

// promotionValue finds what looks like the key, with the space behind it and a plain value.
var promotionValue = lazyregexp.New(promotionKey + `["']?[ \t]*:((?:[ \t]*\r?\n)?[ \t]+)?` +
	`("[^"\n]*"|'[^'\n]*'|[^\s,}#&*!|>\[{"']*)`)

// maxReplacements bounds how often the key is looked for in front matter whose texts have it
// too. Each place costs a decoding.
const maxReplacements = 16

// replacements returns the front matter with one of the values of what looks like the key
// replaced by level, for each such place.
func replacements(front, level string) []string {
	var edits []string
	for _, at := range promotionValue().FindAllStringSubmatchIndex(front, maxReplacements) {
		start, end, value := at[4], at[5], level
		switch {
		case start == end: // nothing stands where the value should be
			start = strings.Index(front[at[0]:], ":") + at[0] + 1
			end, value = start, " "+level
		case strings.ContainsAny(front[start:start+1], `"'`):
			start, end = start+1, end-1
		}
		edits = append(edits, front[:start]+value+front[end:])
	}
	return edits
}
