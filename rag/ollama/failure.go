package ollama

import (
	"context"
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
	"sync"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/compound-docs/compound-docs/rag/model"
)

// kind classifies failures by how to react to them.
type kind int

const (
	// transient: a retry may succeed.
	transient kind = iota
	// refused: the server fails however often it is asked.
	refused
	// circuitOpen: the breaker is open and the server was not asked.
	circuitOpen
	// modelMissing: the model has to be pulled.
	modelMissing
	// badInput: the model rejects this input.
	badInput
	// wrongModel: the vectors do not fit the index.
	wrongModel
	// interrupted: a part of the answer was already passed on, so that it cannot be
	// retried.
	interrupted
	// callerCanceled: the caller's context was cancelled or timed out.
	callerCanceled
)

// failure is the error of a request.
type failure struct {
	kind   kind
	status int // HTTP status, 0 for none
	err    error
}

func (f *failure) Error() string { return f.err.Error() }

func (f *failure) Unwrap() error { return f.err }

// countsAsSuccess reports whether the server works although the request failed: the
// breaker counts it as a success.
func (f *failure) countsAsSuccess() bool {
	return f.kind == badInput || f.kind == wrongModel || f.kind == modelMissing ||
		(f.status >= http.StatusBadRequest && f.status < http.StatusInternalServerError)
}

// ignored reports whether the breaker ignores the call, because it says nothing
// about the server's health.
func (f *failure) ignored() bool {
	return f.kind == callerCanceled || f.status == http.StatusRequestTimeout || f.status == http.StatusTooManyRequests
}

// timeoutError is the cancellation cause of a call that took too long.
type timeoutError struct {
	after time.Duration
	// unfinished is set if an answer began and did not end in time.
	unfinished bool
}

func (e *timeoutError) Error() string {
	if e.unfinished {
		return fmt.Sprintf("no end of the answer within %s", e.after)
	}
	return fmt.Sprintf("no answer within %s", e.after)
}

// withTimeout runs call with a timeout. If it expires the error is a *timeoutError,
// which is distinct from the caller's own deadline.
func withTimeout(ctx context.Context, after time.Duration, call func(ctx context.Context) error) error {
	return withDeadline(ctx, &timeoutError{after: after}, call)
}

// withDeadline is withTimeout with the error to return on expiry.
func withDeadline(ctx context.Context, timeout *timeoutError, call func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, timeout.after, timeout)
	defer cancel()
	return causeOf(ctx, call(ctx))
}

// causeOf returns the *timeoutError that cancelled ctx, if there is one, instead of
// the err that followed from it. A nil err stays nil.
func causeOf(ctx context.Context, err error) error {
	if timeout, ok := errors.AsType[*timeoutError](context.Cause(ctx)); ok && err != nil {
		return timeout
	}
	return err
}

// classify turns an error of Ollama's client into a failure. ctx is the caller's
// context, without the timeouts of this package.
func classify(ctx context.Context, err error) *failure {
	if ctx.Err() != nil {
		return &failure{kind: callerCanceled, err: ctx.Err()}
	}
	if known, ok := errors.AsType[*failure](err); ok {
		return known
	}
	if status, ok := errors.AsType[api.StatusError](err); ok {
		return classifyStatus(status.StatusCode, status.ErrorMessage)
	}
	if _, ok := errors.AsType[api.AuthorizationError](err); ok {
		return classifyStatus(http.StatusUnauthorized, "")
	}
	if timeout, ok := errors.AsType[*timeoutError](err); ok {
		return &failure{kind: refused, err: timeout}
	}
	if redirect, ok := errors.AsType[*redirectError](err); ok {
		return &failure{kind: refused, err: redirect}
	}
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return badResponse(fmt.Sprintf("it is larger than %d KiB", large.Limit>>10))
	}
	if errors.As(err, new(*json.SyntaxError)) || errors.As(err, new(*json.UnmarshalTypeError)) {
		return badResponse("no valid JSON")
	}
	return classifyNetwork(err)
}

func badResponse(problem string) *failure {
	return &failure{kind: refused, err: fmt.Errorf("%w: %s; is this an Ollama server?", model.ErrBadResponse, problem)}
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

// matches compiles the pattern for each failure, of which there are few, rather than at each
// start of the program.
func matches(pattern, message string) bool { return regexp.MustCompile(pattern).MatchString(message) }

func classifyStatus(status int, message string) *failure {
	message = shorten(message)
	f := &failure{kind: refused, status: status}
	describe := func(advice string) error {
		text := strings.TrimSuffix(fmt.Sprintf("HTTP %d %s: %s", status, http.StatusText(status), message), ": ")
		return errors.New(text + advice)
	}
	switch {
	case matches(tooLong, message):
		f.kind, f.err = badInput, fmt.Errorf("%w (%s)", model.ErrInputTooLong, message)
	case matches(notANumber, message):
		f.kind, f.err = badInput, &model.InputError{Problem: message}
	case status == http.StatusNotFound && matches(noSuchModel, message):
		f.kind, f.err = modelMissing, errors.New(message)
	case status == http.StatusBadRequest && !matches(unfitModel, message):
		f.kind, f.err = badInput, &model.InputError{Problem: message}
	case status >= http.StatusInternalServerError,
		status == http.StatusRequestTimeout, status == http.StatusTooManyRequests:
		f.kind, f.err = transient, describe("")
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		f.err = describe("; check the user name and password in the host's URL")
	case status == http.StatusNotFound:
		f.err = describe("; is this an Ollama server?")
	default:
		f.err = describe("")
	}
	return f
}

// classifyNetwork classifies the remaining errors: those of the network, and those
// that a stream reports as text.
func classifyNetwork(err error) *failure {
	// A url.Error repeats the URL with the user's name in it.
	urlErr, isNetwork := errors.AsType[*url.Error](err)
	if isNetwork {
		err = urlErr.Err
	}
	_, network := errors.AsType[net.Error](err)
	isNetwork = isNetwork || network || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	if !isNetwork {
		return &failure{kind: refused, err: errors.New("the server reports: " + shorten(err.Error()))}
	}
	f := &failure{kind: transient, err: fmt.Errorf("the connection broke: %w", err)}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		f.err = fmt.Errorf("%w; start Ollama: ollama serve", err)
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok && dns.IsNotFound {
		f.kind, f.err = refused, fmt.Errorf("%w; check the host's name", err)
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		f.kind, f.err = refused, err
	}
	return f
}

// whileAlive runs call until a time limit, and asks the server for its version meanwhile. It
// cancels call with a *timeoutError when such a probe is not answered in time. A server that
// loads a model or computes still answers probes; without them, a server that is suspended
// or unreachable would hold call until its own timeout of minutes.
func (c *Client) whileAlive(ctx context.Context, limit *timeoutError, call func(ctx context.Context) error) error {
	return withDeadline(ctx, limit, func(ctx context.Context) error {
		ctx, cancel := context.WithCancelCause(ctx)
		var watching sync.WaitGroup
		watching.Go(func() { c.probe(ctx, cancel) })
		err := causeOf(ctx, call(ctx))
		cancel(nil)
		watching.Wait()
		return err
	})
}

// probe asks for the version now and then, until ctx ends or a probe is not answered.
func (c *Client) probe(ctx context.Context, cancel context.CancelCauseFunc) {
	patience := c.cfg.ProbeTimeout
	pause := time.NewTimer(patience / 3)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
		err := withTimeout(ctx, patience, func(ctx context.Context) error {
			_, err := c.api.Version(ctx)
			return err //nolint:wrapcheck // only tested for a timeout
		})
		if ctx.Err() == nil && isTimeout(err) {
			cancel(&timeoutError{after: patience})
			return
		}
		pause.Reset(patience / 3)
	}
}

// isTimeout reports whether a probe got no answer, or no connection, in time.
func isTimeout(err error) bool {
	if _, ok := errors.AsType[*timeoutError](err); ok {
		return true
	}
	network, ok := errors.AsType[net.Error](err)
	return ok && network.Timeout()
}
