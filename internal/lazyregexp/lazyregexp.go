// Package lazyregexp compiles a regular expression at its first use, because a start of the program needs few of all
// expressions. The go command has a package of this name for this reason.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that returns the compiled expression. The function panics at its first call if the expression
// is not valid.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
