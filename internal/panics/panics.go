// Package panics turns a panic into an error, so that one file fails and not the
// process.
package panics

import (
	"fmt"
	"runtime/debug"
)

// Error is a panic of this program.
type Error struct {
	Value any
	Stack []byte
}

func (e *Error) Error() string {
	return fmt.Sprintf(
		"the server met a bug of its own here (%v) and goes on without; please report it, with the file if you can", e.Value)
}

// Catch returns the error of f, which is an [*Error] if f panics.
func Catch(f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &Error{Value: value, Stack: debug.Stack()}
		}
	}()
	return f()
}
