package ollama

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/compound-docs/compound-docs/rag/model"
)

// errNoSuchModel reports that the server does not have the model of a request.
var errNoSuchModel = errors.New("not in the list of models")

func badResponse(problem string) *model.ServerError {
	return model.BadResponse(problem + "; is this an Ollama server?")
}

// broken is the failure of a connection.
func broken(err error) *model.ServerError {
	return &model.ServerError{Err: fmt.Errorf("the connection broke: %w", err), Transient: true}
}

// unreadable returns the failure of a body that cannot be decoded.
func unreadable(err error) *model.ServerError {
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return badResponse(fmt.Sprintf("it is larger than %d KiB", large.Limit>>10))
	}
	if errors.As(err, new(*json.SyntaxError)) || errors.As(err, new(*json.UnmarshalTypeError)) {
		return badResponse("no valid JSON")
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return broken(err)
}

// Patterns of messages.
const (
	// tooLong matches what Ollama's versions say: "input length exceeds maximum
	// context length" (0.10), "the input length exceeds the context length",
	// "input exceeds maximum context length and cannot be truncated further".
	tooLong = `(?i)(input|prompt)( length)? exceeds (the |maximum |the maximum )?context length`
	// notANumber matches "json: unsupported value: NaN", which comes as a 500, and
	// "embedding contains NaN or Inf values": some models always overflow on certain
	// texts.
	notANumber = `unsupported value: (NaN|[+-]?Inf)|contains NaN`
	// noSuchModel matches `model "x" not found, try pulling it first` and
	// "model 'x' not found", but not a proxy's page.
	noSuchModel = `(?i)model .*not found`
	// unfitModel matches errors about the model that come as a 400 and say nothing
	// about the text.
	unfitModel = `(?i)does not support|invalid model name`
)

// matches compiles the pattern each time: failures are few, and the program starts often.
func matches(pattern, message string) bool { return regexp.MustCompile(pattern).MatchString(message) }

// classifyStatus returns the error of a request that the server has refused. The status is 0
// for a refusal in a stream.
func classifyStatus(status int, message string) error {
	message = shorten(message)
	switch {
	case matches(tooLong, message):
		return fmt.Errorf("%w (%s)", model.ErrInputTooLong, message)
	case matches(notANumber, message), status == http.StatusBadRequest && !matches(unfitModel, message):
		return fmt.Errorf("%w: %s", model.ErrUnusableText, message)
	case status == http.StatusNotFound && matches(noSuchModel, message):
		return errNoSuchModel
	case status == 0:
		return &model.ServerError{Err: errors.New("the server reports: " + message)}
	}
	advice := ""
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		advice = "; check the user name and password in the host's URL"
	case http.StatusNotFound:
		advice = "; is this an Ollama server?"
	}
	text := strings.TrimSuffix(fmt.Sprintf("HTTP %d %s: %s", status, http.StatusText(status), message), ": ")
	return &model.ServerError{
		Err: errors.New(text + advice), Status: status,
		Transient: status >= http.StatusInternalServerError ||
			status == http.StatusRequestTimeout || status == http.StatusTooManyRequests,
	}
}

// classifyNetwork returns the failure of a request without an answer.
func classifyNetwork(err error) *model.ServerError {
	// A url.Error repeats the URL with the user's name in it.
	if urlErr, ok := errors.AsType[*url.Error](err); ok {
		err = urlErr.Err
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok && dns.IsNotFound {
		return &model.ServerError{Err: fmt.Errorf("%w; check the host's name", err)}
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return &model.ServerError{Err: err}
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return &model.ServerError{Err: fmt.Errorf("%w; start Ollama: ollama serve", err), Transient: true}
	}
	return broken(err)
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
