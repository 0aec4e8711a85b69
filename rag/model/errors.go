package model

import (
	"errors"
	"fmt"
	"time"
)

var (
	// ErrInputTooLong reports that a text or a prompt exceeds the model's context window.
	ErrInputTooLong = errors.New("the text is longer than the model's context window")
	// ErrUnusableText reports a text that cannot be embedded, whatever its length.
	ErrUnusableText = errors.New("the text cannot be embedded")
	// ErrDimensions reports that the model's vectors are longer than those of the index.
	ErrDimensions = errors.New("the model does not fit the index")
	// ErrBadResponse reports no JSON, too few vectors or a vector of zeros.
	ErrBadResponse = errors.New("the server's answer makes no sense")
	// ErrEmptyAnswer reports that the chat model wrote only white space.
	ErrEmptyAnswer = errors.New("the chat model gave an empty answer")
	// ErrLate reports that the server did not answer while the caller could wait.
	ErrLate = errors.New("the model server gives no answer in time: it hangs, or loads a model; try again in a minute")
	// ErrModelReplaced reports a vector of another build of the model than expected.
	ErrModelReplaced = errors.New("the embedding model was replaced; try again")
)

// UnavailableError reports that the server could not serve a request.
type UnavailableError struct {
	Server       string        // such as "ollama at http://localhost:11434", without credentials
	CircuitState string        // "closed", "open" or "half-open"
	RetryAfter   time.Duration // 0 if waiting does not help
	Err          error         // the last failure
}

func (e *UnavailableError) Error() string {
	if e.CircuitState == "closed" {
		return fmt.Sprintf("%s: %v", e.Server, e.Err)
	}
	return fmt.Sprintf("%s failed repeatedly and is not asked now, try again in %s: %v",
		e.Server, e.RetryAfter.Round(time.Second), e.Err)
}

func (e *UnavailableError) Unwrap() error { return e.Err }

// CutShortError reports that an answer began and did not end. It comes with the text so far.
type CutShortError struct{ Err error }

func (e *CutShortError) Error() string { return "the answer was cut short: " + e.Err.Error() }

func (e *CutShortError) Unwrap() error { return e.Err }

// MissingError reports that an Ollama lacks a model. Host is its URL without credentials.
type MissingError struct{ Model, Host string }

func (e *MissingError) Error() string {
	return fmt.Sprintf("model %s is not installed at %s; run: ollama pull %s (or compound-docs up)", e.Model, e.Host, e.Model)
}
