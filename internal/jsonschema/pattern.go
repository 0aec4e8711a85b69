package jsonschema

import (
	"fmt"
	"regexp/syntax"
)

// pattern checks the number and the size of the regular expressions. The size of one is known before
// it is compiled, which takes memory in proportion to it.
func (c *compiler) pattern(text string, at place) {
	size, known := c.patterns[text]
	if c.number++; c.number > maxPatterns && c.err == nil {
		c.err = tooComplex()
		return
	}
	if !known {
		parsed, err := syntax.Parse(text[:min(len(text), maxPatternBytes)], syntax.Perl)
		if err != nil || len(text) > maxPatternBytes || programSize(parsed) > maxPatternSize {
			c.fail(at, text, fmt.Sprintf("a regular expression of at most %d bytes and %d steps", maxPatternBytes, maxPatternSize))
			return
		}
		size = programSize(parsed)
		c.patterns[text] = size
	}
	c.size.patterns += size
}

// programSize estimates the number of instructions of a regular expression, which is its cost
// for each character of a text.
func programSize(re *syntax.Regexp) int {
	size := 1 + len(re.Rune)
	if re.Op == syntax.OpCharClass {
		size = 1 + len(re.Rune)/8
	}
	for _, sub := range re.Sub {
		size += programSize(sub)
	}
	if re.Op == syntax.OpRepeat {
		size *= max(re.Max, re.Min+1, 1)
	}
	return min(size, 1<<30)
}
