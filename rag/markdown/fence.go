package markdown

import "strings"

// BlockBehind returns the fence of the block of code that a line leaves open, "" for none. block is the fence that is
// open before the line. It reports whether the line is text, neither code nor a fence.
func BlockBehind(block, line string) (string, bool) {
	fence := fenceOf(line)
	switch {
	case block == "":
		return fence, fence == ""
	case strings.HasPrefix(fence, block):
		return "", false
	default:
		return block, false
	}
}

// fenceOf returns the characters that begin or end a block of code, "" for another line.
func fenceOf(line string) string {
	line = strings.TrimLeft(line, " \t>")
	for _, mark := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, mark)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}
