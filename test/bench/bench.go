package main

import (
	"errors"
	"slices"
)

// bench is a measurement under way.
type bench struct {
	*environment

	ending []func() error
}

// atEnd registers work for the end of the measurement, whether it succeeds or fails.
func (b *bench) atEnd(do func() error) { b.ending = append(b.ending, do) }

// within runs a part of a measurement, and then what the part has registered with
// atEnd, the last first. It returns the error that check was given.
func (b *bench) within(part func(*bench)) (err error) {
	inner := &bench{environment: b.environment}
	defer func() {
		for _, end := range slices.Backward(inner.ending) {
			err = errors.Join(err, end())
		}
	}()
	return attempt(func() { part(inner) })
}

// measureError is the value that check panics with.
type measureError struct{ error }

// check ends a measurement if there is an error, as testing.T.Fatal ends a test. In another
// goroutine it needs an attempt.
func check(err error) {
	if err != nil {
		panic(measureError{err})
	}
}

// get is check for a function that returns a value too.
func get[T any](value T, err error) T {
	check(err)
	return value
}

// attempt returns the error that check is given in f.
func attempt(f func()) (err error) {
	defer func() {
		switch thrown := recover().(type) {
		case nil:
		case measureError:
			err = thrown.error
		default:
			panic(thrown)
		}
	}()
	f()
	return nil
}
