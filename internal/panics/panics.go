// Package panics turns panics into errors, so that a bug in handling one file does
// not end the process. It must know no other package of the module.
package panics

import (
	"fmt"
	"runtime/debug"
)

// Error is a recovered panic with its value and the stack of its goroutine.
type Error struct {
	Value any
	Stack []byte
}

func (e *Error) Error() string {
	return fmt.Sprintf(
		"internal error (%v); this item was skipped; please report it, with the file if you can", e.Value)
}

// Catch calls f and returns its error, or an [*Error] if f panics.
func Catch(f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &Error{Value: value, Stack: debug.Stack()}
		}
	}()
	return f()
}
