package markdown

import (
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
)

// withoutHidden returns the lines without what no reader sees: HTML comments, scripts, styles, and the comments of
// Obsidian, such as %%this%%. Code, and what is never closed, stays. Each other line keeps its place.
func withoutHidden(lines []string, body int) []string {
	h := hider{last: map[string]int{}, closes: make([]bool, len(lines)+1)}
	for i := len(lines) - 1; i >= body; i-- {
		for _, mark := range closing().FindAllString(lines[i], -1) {
			mark = strings.ToLower(mark)
			last := h.last[mark]
			if mark != "%%" || endsComment(lines[i]) {
				last = max(last, i)
			}
			h.last[mark] = last
			h.closes[i] = h.closes[i] || mark == "-->"
		}
		h.closes[i] = h.closes[i] || h.closes[i+1] && !blank(lines[i])
	}
	if len(h.last) == 0 {
		return lines
	}
	shown := slices.Clone(lines)
	block := ""
	for h.at = body; h.at < len(lines); h.at++ {
		isText := true
		if h.open == "" {
			block, isText = blockBehind(block, lines[h.at])
		}
		if isText {
			shown[h.at] = h.seen(lines[h.at])
		}
	}
	return shown
}

var (
	// closing matches each end of hidden text.
	closing = lazyregexp.New(`-->|%%|(?i:</(?:script|style)>)`)
	// hiddenText matches hidden text up to its end, or else to the end of the line, and spans of code, which are not.
	hiddenText = lazyregexp.New("`[^`]+`" + `|<!--.*?-->|(?:^|\s)%%(?:[^\s%](?:[^%]*[^\s%])?|\s[^%]*\s)%%|<!--.*$|^\s*%%.*$` +
		`|^ {0,3}<(?i:script(?:[\s>].*?</script>|[\s>].*$|$)|style(?:[\s>].*?</style>|[\s>].*$|$))`)
)

// hider takes hidden text out of lines, one after the other.
type hider struct {
	at   int            // the line
	last map[string]int // the last line with each end of hidden text
	// closes says whether the end of a comment follows in the rest of a paragraph.
	closes []bool
	open   string // the end of the hidden text that an earlier line has begun
}

// endsComment reports whether a line ends a comment of Obsidian that an earlier line has begun.
func endsComment(line string) bool {
	_, behind, ok := strings.Cut(line, "%%")
	return ok && blank(behind)
}

// seen returns what a reader sees of a line.
func (h *hider) seen(line string) string {
	if h.open != "" {
		at := strings.Index(strings.ToLower(line), h.open)
		if at < 0 || h.open == "%%" && !endsComment(line) {
			return ""
		}
		line = line[at+len(h.open):]
		h.open = ""
	}
	return hiddenText().ReplaceAllStringFunc(line, func(text string) string {
		start := strings.ToLower(strings.TrimSpace(text))
		end := "-->"
		switch {
		case start[0] == '`':
			return text
		case strings.HasPrefix(start, "%%"):
			end = "%%"
		case strings.HasPrefix(start, "<s"):
			end = "</" + start[1:strings.IndexAny(start+" ", " \t>")] + ">"
		}
		if isClosed := strings.HasSuffix(start, end) && len(start) > len(end); isClosed {
			return ""
		}
		isInline := end == "-->" && !strings.HasPrefix(strings.TrimSpace(line), text)
		if h.last[end] <= h.at || isInline && !h.closes[h.at+1] {
			return text
		}
		h.open = end
		return ""
	})
}
