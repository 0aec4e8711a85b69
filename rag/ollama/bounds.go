package ollama

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
)

// bounds limits the body of one response, so that a server cannot exhaust this
// process's memory: a few megabytes of gzip can unpack to gigabytes, and one JSON
// bracket can decode to two hundred bytes.
type bounds struct {
	// bytes is the size of the body after decompression.
	bytes int64
	// brackets is the allowed number of [ and { in the body, 0 for no limit.
	brackets int64
}

// smallAnswerBounds is for responses without bounds of their own: the list of
// models, a model's details, a version, an error. The list has three brackets per
// model.
func smallAnswerBounds() bounds { return bounds{bytes: 2 << 20, brackets: 1 << 16} }

// Allowances in bytes, except for maxComponents: a vector may have more components
// than the index holds, so that the error can say how many it has.
const (
	maxComponents  = 8 << 10
	bytesComponent = 24
	bytesToken     = 1 << 10
	maxAround      = 256 << 10
	maxPullBytes   = 32 << 20
)

func embedBounds(texts int) bounds {
	return bounds{bytes: int64(texts)*maxComponents*bytesComponent + maxAround, brackets: int64(texts) + 64}
}

func chatBounds(tokens int) bounds {
	return bounds{bytes: int64(tokens)*bytesToken + maxAround}
}

func pullBounds() bounds { return bounds{bytes: maxPullBytes} }

// meter travels in a request's context. It holds the bounds of the response and
// the first violation of them. Ollama's client treats a read error in a stream as
// its normal end, so the error has to be passed on beside it.
type meter struct {
	bounds
	exceeded atomic.Pointer[failure]
}

type meterKey struct{}

// withBounds runs call, whose requests carry the limit. A response that exceeds it
// is a *failure.
func withBounds(ctx context.Context, limit bounds, call func(ctx context.Context) error) error {
	m := &meter{bounds: limit}
	err := call(context.WithValue(ctx, meterKey{}, m))
	if f := m.exceeded.Load(); f != nil {
		return f //nolint:wrapcheck // the package's own error
	}
	return err
}

// boundedTransport limits every response by the meter in its request's context,
// or by smallAnswerBounds. It counts decompressed bytes.
type boundedTransport struct{ base http.RoundTripper }

func (t boundedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.base.RoundTrip(req)
	if err != nil {
		return nil, err //nolint:wrapcheck // classify wants it as it is
	}
	m, ok := req.Context().Value(meterKey{}).(*meter)
	if !ok {
		m = &meter{bounds: smallAnswerBounds()}
	}
	resp.Body = &boundedBody{ReadCloser: resp.Body, meter: m}
	return resp, nil
}

// boundedBody reads a body as far as its meter allows, and fails after that.
type boundedBody struct {
	io.ReadCloser
	meter *meter

	bytes, brackets int64
}

// Read returns all allowed bytes before it fails: a reader that needs only the
// beginning of a stream must not fail because of bytes read ahead.
func (b *boundedBody) Read(p []byte) (int, error) {
	left := b.meter.bytes - b.bytes
	if left < 0 {
		return 0, b.fail(badResponse(fmt.Sprintf("it is larger than %d KiB", b.meter.bytes>>10)))
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), left+1)])
	if f := b.count(p[:n]); f != nil {
		return 0, b.fail(f)
	}
	return n, err
}

func (b *boundedBody) fail(f *failure) *failure {
	b.meter.exceeded.CompareAndSwap(nil, f)
	return f
}

func (b *boundedBody) count(read []byte) *failure {
	limit := b.meter.bounds
	b.bytes += int64(len(read))
	if limit.brackets > 0 {
		b.brackets += int64(bytes.Count(read, []byte("[")) + bytes.Count(read, []byte("{")))
		if b.brackets > limit.brackets {
			return badResponse(fmt.Sprintf("it has more than %d parts", limit.brackets))
		}
	}
	return nil
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
