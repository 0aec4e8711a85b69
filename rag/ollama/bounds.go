package ollama

import (
	"context"
	"fmt"
	"net/http"
)

// Allowances in bytes, but for maxComponents: a vector may have more components than the
// index holds, so that the error can say how many it has.
const (
	// maxAnswer is for answers without a limit of their own: the list of models, a model's
	// details, a version, an error.
	maxAnswer      = 1 << 20
	maxComponents  = 8 << 10
	bytesComponent = 24
	maxAround      = 256 << 10
	// maxStream bounds a stream, besides the limits on its parts.
	maxStream = 32 << 20
)

type limitKey struct{}

// withLimit returns a context whose requests get answers of at most that many bytes.
func withLimit(ctx context.Context, bytes int64) context.Context {
	return context.WithValue(ctx, limitKey{}, bytes)
}

// boundedTransport limits the body of each response, so that a server cannot exhaust this
// process's memory: a few megabytes of gzip can unpack to gigabytes. It counts decompressed
// bytes. A longer body ends with a *http.MaxBytesError, which Ollama's client takes for the
// end of a stream.
type boundedTransport struct{ base http.RoundTripper }

func (t boundedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.base.RoundTrip(req)
	if err != nil {
		return nil, err //nolint:wrapcheck // classify wants it as it is
	}
	limit, ok := req.Context().Value(limitKey{}).(int64)
	if !ok {
		limit = maxAnswer
	}
	resp.Body = http.MaxBytesReader(nil, resp.Body, limit)
	return resp, nil
}

// redirectError reports a redirect. Redirects are not followed: requests carry the
// text of documents, which the user allowed to go to one address.
type redirectError struct{ from, to string }

func (e *redirectError) Error() string {
	return fmt.Sprintf("it redirects to %s, which is not followed: text of documents goes from %s to no other address; "+
		"if Ollama is there, make that address the Ollama host", e.to, e.from)
}

// followNone is an http.Client's CheckRedirect: it refuses every redirect.
func followNone(req *http.Request, via []*http.Request) error {
	address := func(r *http.Request) string { return shorten(r.URL.Scheme + "://" + r.URL.Host) }
	return &redirectError{from: address(via[0]), to: address(req)}
}
