package markdown

import "strings"

// BlockBehind finds blocks of code line by line. block is the open fence before the line, such as ```, or "". The
// results are the open fence after the line, or "", and whether the line is text: not code, and not a fence.
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
