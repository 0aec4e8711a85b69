package markdown

import "strings"

// BlockBehind returns the fence of the block of code that a line leaves open, "" for none. block is the fence that is
// open before the line. It reports whether the line is text, neither code nor a fence.
func BlockBehind(block, line string) (string, bool) {
	fence, text := "", strings.TrimLeft(line, " \t>")
	for _, mark := range []string{"`", "~"} {
		if n := len(text) - len(strings.TrimLeft(text, mark)); n >= 3 {
			fence = text[:n]
		}
	}
	switch {
	case block == "":
		return fence, fence == ""
	case strings.HasPrefix(fence, block):
		return "", false
	default:
		return block, false
	}
}
