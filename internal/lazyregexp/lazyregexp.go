// Package lazyregexp compiles a regular expression at its first use, so that the program starts faster. The go command
// has a package of this name for this reason.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that returns the compiled expression. An invalid expression makes the first call panic.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
