package rag

import (
	"fmt"
	"runtime/debug"
)

// BugError is a panic of this program.
type BugError struct {
	Value any
	Stack []byte
}

func (e *BugError) Error() string {
	return fmt.Sprintf(
		"the server met a bug of its own here (%v) and goes on without; please report it, with the file if you can", e.Value)
}

// Guard returns the error of f, which is a [*BugError] if f panics.
func Guard(f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &BugError{Value: value, Stack: debug.Stack()}
		}
	}()
	return f()
}
