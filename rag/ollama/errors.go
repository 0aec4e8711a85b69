package ollama

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

var (
	// ErrInputTooLong reports that a text or a prompt exceeds the model's context
	// window. Shorten it.
	ErrInputTooLong = errors.New("the text is longer than the model's context window")
	// ErrBadResponse reports an invalid response: no JSON, too few vectors, a vector
	// of zeros.
	ErrBadResponse = errors.New("the server's answer makes no sense")
	// ErrEmptyAnswer reports that the chat model wrote only white space.
	ErrEmptyAnswer = errors.New("the chat model gave an empty answer")
	// ErrModelReplaced reports a vector of another model than the one that it was asked
	// of. Another try finds the new model.
	ErrModelReplaced = errors.New("Ollama has replaced the embedding model meanwhile; try again") //nolint:staticcheck // a name
)

// InputError reports that a text cannot be embedded, for a reason other than its
// length. The message does not contain the text.
type InputError struct {
	// Problem is the reason, in the server's words if it gave one.
	Problem string
}

func (e *InputError) Error() string {
	return "the text cannot be embedded: " + e.Problem
}

// UnavailableError reports that the server could not serve a request.
type UnavailableError struct {
	// Host is the host's URL without user name and password.
	Host string
	// CircuitState of the breaker: "closed", "open" or "half-open".
	CircuitState string
	// RetryAfter is how long to wait before another try; 0 if waiting does not help.
	RetryAfter time.Duration
	// Err is the last failure.
	Err error
}

func (e *UnavailableError) Error() string {
	if e.CircuitState == "closed" {
		return fmt.Sprintf("ollama at %s: %v", e.Host, e.Err)
	}
	return fmt.Sprintf("ollama at %s failed repeatedly and is not asked for now, try again in %s: %v",
		e.Host, e.RetryAfter.Round(time.Second), e.Err)
}

func (e *UnavailableError) Unwrap() error { return e.Err }

// CutShortError reports that an answer began and did not end: the time for it was
// over, or the server failed. It comes with the text so far.
type CutShortError struct {
	// Err says why; *UnavailableError.
	Err error
}

func (e *CutShortError) Error() string { return "the answer was cut short: " + e.Err.Error() }

func (e *CutShortError) Unwrap() error { return e.Err }

// ModelMissingError reports that the server does not have the model. If Err is nil it
// is being pulled, else Err says why it could not be pulled.
type ModelMissingError struct {
	Model string
	// Host is the server's URL without user name and password.
	Host string
	// Pull is the progress of the pull.
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

// DimensionError reports that the model's vectors have Got components, and those
// of the index at most Most.
type DimensionError struct {
	Model     string
	Got, Most int
	// Shortens is set for a model whose vectors Ollama can shorten, and has not.
	Shortens bool
}

func (e *DimensionError) Error() string {
	if e.Shortens {
		return fmt.Sprintf("model %s makes vectors of %d dimensions, the index holds up to %d, "+
			"and this version of Ollama does not shorten them: update Ollama", e.Model, e.Got, e.Most)
	}
	return fmt.Sprintf("model %s makes vectors of %d dimensions, which it was not trained to shorten, "+
		"and the index holds up to %d: set embedding_model in settings.json to another model, such as mxbai-embed-large or bge-m3",
		e.Model, e.Got, e.Most)
}

// maxMessage is the largest number of characters kept of a server's message.
const maxMessage = 300

// shorten returns a server's message as one line of at most maxMessage characters.
func shorten(message string) string {
	const bytesPerCharacter = 16 // enough for a character and the space before it
	if len(message) > bytesPerCharacter*maxMessage {
		message = message[:bytesPerCharacter*maxMessage]
	}
	line := []rune(strings.ToValidUTF8(strings.Join(strings.Fields(message), " "), ""))
	if len(line) > maxMessage {
		line = append(line[:maxMessage-1], '…')
	}
	return string(line)
}
