package ollama

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

var (
	// ErrInputTooLong says that a text, or a prompt, does not fit the model's
	// context window. The remedy is a shorter one.
	ErrInputTooLong = errors.New("the text is longer than the model's context window")
	// ErrBadResponse says that the server answered with something that is not
	// an answer: no JSON, too few vectors, a vector of zeros.
	ErrBadResponse = errors.New("the server's answer makes no sense")
	// ErrEmptyAnswer says that the chat model wrote nothing but white space.
	ErrEmptyAnswer = errors.New("the chat model gave an empty answer")
)

// InputError says that a text cannot be embedded, for a reason other than its
// length. The text itself is not part of the message.
type InputError struct {
	// Problem is the reason, the server's own words where it gave one.
	Problem string
}

func (e *InputError) Error() string {
	return "the text cannot be embedded: " + e.Problem
}

// UnavailableError says that no host could do what was asked, and names the
// one that says most about why.
type UnavailableError struct {
	// Host is the host's URL without user name and password.
	Host string
	// CircuitState of the host's breaker: "closed", "open" or "half-open".
	CircuitState string
	// RetryAfter is when another try can make sense; 0 when waiting alone does
	// not help.
	RetryAfter time.Duration
	// Err is the host's last failure.
	Err error
}

func (e *UnavailableError) Error() string {
	if e.CircuitState == "closed" {
		return fmt.Sprintf("ollama at %s: %v", e.Host, e.Err)
	}
	return fmt.Sprintf("ollama at %s failed repeatedly and is left alone, try again in %s: %v",
		e.Host, e.RetryAfter.Round(time.Second), e.Err)
}

func (e *UnavailableError) Unwrap() error { return e.Err }

// ModelMissingError says that no host that answers has the model. It is being
// pulled when Err is nil, and could not be pulled otherwise.
type ModelMissingError struct {
	Model string
	// Host is the host that pulls it, without user name and password.
	Host string
	// Pull is how far the pull is, or was when it failed.
	Pull PullStatus
	Err  error
}

func (e *ModelMissingError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("model %s is not installed at %s and could not be pulled: %v; run: ollama pull %s",
			e.Model, e.Host, e.Err, e.Model)
	}
	return fmt.Sprintf("model %s is not installed at %s; it is being pulled (%s), try again in a while",
		e.Model, e.Host, e.Pull)
}

func (e *ModelMissingError) Unwrap() error { return e.Err }

// DimensionError says that the model makes vectors of another length than the
// index holds.
type DimensionError struct {
	Model     string
	Got, Want int
}

func (e *DimensionError) Error() string {
	return fmt.Sprintf("model %s makes vectors of %d dimensions, the index holds %d: use a model of %d dimensions",
		e.Model, e.Got, e.Want, e.Want)
}

// maxMessage is how many characters of a server's message are passed on.
const maxMessage = 300

// shorten makes one line of bounded length out of a server's message.
func shorten(message string) string {
	const more = 16 // than enough bytes for a character and the space before it
	if len(message) > more*maxMessage {
		message = message[:more*maxMessage]
	}
	line := []rune(strings.ToValidUTF8(strings.Join(strings.Fields(message), " "), ""))
	if len(line) > maxMessage {
		line = append(line[:maxMessage-1], '…')
	}
	return string(line)
}
