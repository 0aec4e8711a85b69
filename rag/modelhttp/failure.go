package modelhttp

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
	"unicode"

	"github.com/compound-docs/compound-docs/rag/model"
)

// ErrNoSuchModel reports that the server does not have the model of a request.
var ErrNoSuchModel = errors.New("not in the list of models")

// Broken returns the failure of a connection that broke.
func Broken(err error) *model.ServerError {
	return &model.ServerError{Err: fmt.Errorf("the connection broke: %w", err), Transient: true}
}

// Unreadable returns the failure of a body that cannot be decoded.
func (c *Client) Unreadable(err error) *model.ServerError {
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return c.BadResponse(fmt.Sprintf("it is larger than %d KiB", large.Limit>>10))
	}
	if errors.As(err, new(*json.SyntaxError)) || errors.As(err, new(*json.UnmarshalTypeError)) {
		return c.BadResponse("no valid JSON")
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return Broken(err)
}

// Patterns of the messages of servers.
const (
	// tooLong matches messages about a text that exceeds the context window. Ollama: "input length exceeds maximum context
	// length" (0.10), "the input length exceeds the context length", "input exceeds maximum context length and cannot be
	// truncated further". llama.cpp: "input (600 tokens) is too large to process", "the request exceeds the available
	// context size". vLLM and OpenAI: "maximum context length is 512 tokens". Text Embeddings Inference: "must have less
	// than 512 tokens".
	tooLong = `(?i)(input|prompt)( length)? exceeds (the |maximum |the maximum )?context length|too large to process|` +
		`exceeds? (the )?(available )?context size|maximum (context|input|model) length|must have (less|fewer) than \d+ tokens`
	// notANumber matches "json: unsupported value: NaN", which comes with status 500, and "embedding contains NaN or Inf
	// values". Some models always overflow on certain texts.
	notANumber = `unsupported value: (NaN|[+-]?Inf)|contains NaN`
	// noSuchModel matches `model "x" not found, try pulling it first` and "model 'x' not found", but not a proxy's page.
	noSuchModel = `(?i)model .*(not found|does not exist)`
	// unfitModel matches messages with status 400 that are about the model or the request. All other messages with status
	// 400 are about the text.
	unfitModel = `(?i)does not support|not supported|unsupported|invalid model|unknown model|api.key`
)

// matches compiles the pattern at each call, because failures are few, and the program starts often.
func matches(pattern, message string) bool { return regexp.MustCompile(pattern).MatchString(message) }

// Refused returns the error of a request that the server refuses. The status is 0 if the refusal is in a stream.
func (c *Client) Refused(status int, message string) error {
	shown, message := shorten(c.hidden.Replace(message)), shorten(message)
	switch {
	case matches(tooLong, message):
		return fmt.Errorf("%w (%s)", model.ErrInputTooLong, shown)
	case matches(notANumber, message), status == http.StatusBadRequest && !matches(unfitModel, message):
		return fmt.Errorf("%w: %s", model.ErrUnusableText, shown)
	case status == http.StatusNotFound && matches(noSuchModel, message):
		return ErrNoSuchModel
	case status == 0:
		return &model.ServerError{Err: errors.New("the server reports: " + shown)}
	}
	advice := ""
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		advice = "; " + c.kind.Access
	case http.StatusNotFound:
		advice = "; is this " + c.kind.Name + "?"
	}
	text := strings.TrimSuffix(fmt.Sprintf("HTTP %d %s: %s", status, http.StatusText(status), shown), ": ")
	return &model.ServerError{
		Err: errors.New(text + advice), Status: status,
		Transient: status >= http.StatusInternalServerError ||
			status == http.StatusRequestTimeout || status == http.StatusTooManyRequests,
	}
}

// unreached returns the failure of a request without an answer.
func (c *Client) unreached(err error) *model.ServerError {
	// A url.Error repeats the URL, which may have a user's name.
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
		return &model.ServerError{Err: fmt.Errorf("%w; %s", err, c.kind.Start), Transient: true, Unreached: !op.Timeout()}
	}
	if text := c.hidden.Replace(err.Error()); text != err.Error() { // the error may repeat an answer that is no HTTP
		err = errors.New(text)
	}
	return Broken(err)
}

// Remedy says how to correct the error of a request, "" if that is not known.
func (c *Client) Remedy(err error) string {
	failure, _ := errors.AsType[*model.ServerError](err)
	isOther := errors.Is(err, model.ErrBadResponse) || strings.Contains(err.Error(), "the connection broke") ||
		failure != nil && failure.Status == http.StatusNotFound
	proxy, proxyErr := http.ProxyFromEnvironment(&http.Request{URL: c.base})
	switch {
	case failure != nil && (failure.Status == http.StatusUnauthorized || failure.Status == http.StatusForbidden):
		return c.kind.Access
	case failure != nil && failure.Status == http.StatusTooManyRequests:
		return "wait, or get a higher limit from who runs it: it is asked more often than it allows"
	case failure != nil && failure.Status >= http.StatusInternalServerError:
		return "look into the server's own log: it runs, and fails"
	case errors.Is(err, http.ErrSchemeMismatch):
		return c.kind.Set + "http://" + c.base.Host
	case strings.Contains(err.Error(), "HTTPS"):
		return c.kind.Set + "https://" + c.base.Host
	case proxyErr == nil && proxy != nil:
		return fmt.Sprintf("run: export NO_PROXY=%s (the proxy %s is asked for it now)", c.base.Hostname(), proxy.Redacted())
	case isOther && c.base.Path != "" && c.base.Path != c.path:
		return c.kind.Set + c.base.Scheme + "://" + c.base.Host
	case isOther:
		return "another service may listen there: " + c.kind.Address
	}
	return ""
}

// BadResponse returns the failure of a server whose answer makes no sense.
func (c *Client) BadResponse(problem string) *model.ServerError {
	return &model.ServerError{Err: fmt.Errorf("%w: %s; is this %s?", model.ErrBadResponse, problem, c.kind.Name)}
}

// maxMessage is how many characters of a server's message are kept.
const maxMessage = 300

// shorten returns a server's message as one line of at most maxMessage characters.
func shorten(message string) string {
	words := strings.FieldsFunc(message, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	line := []rune(strings.ToValidUTF8(strings.Join(words, " "), ""))
	if len(line) > maxMessage {
		line = append(line[:maxMessage-1], '…')
	}
	return string(line)
}
