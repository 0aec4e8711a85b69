// Package lazyregexp compiles regular expressions at their first use. A start of the program needs few of
// them. The go command has a package of this name for the same reason.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that returns the compiled expression. It panics at the first call if the expression
// is not valid.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
