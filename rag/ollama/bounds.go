package ollama

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
)

// bounds limit the body of one answer. A host is not trusted with this
// process's memory: a few megabytes of gzip can unfold to gigabytes, and a
// bracket of JSON can become two hundred bytes of Go.
type bounds struct {
	// bytes is the size of the body after decompression.
	bytes int64
	// line is the longest line of a stream, 0 where lines do not count.
	line int64
	// brackets is how many [ and { the body may have, 0 where they do not count.
	brackets int64
}

// smallAnswer bounds whatever has no bounds of its own: a list of models, what
// is known of one, a version, an error. A list has three brackets a model.
func smallAnswer() bounds { return bounds{bytes: 2 << 20, brackets: 1 << 16} }

// What one vector, one token and one step of a pull may take. A vector may have
// more components than it should, so that the error says how many they are.
const (
	maxComponents  = 8 << 10
	bytesComponent = 24
	bytesToken     = 1 << 10
	maxLine        = 256 << 10
	maxPullBytes   = 32 << 20
)

func embedBounds(texts int) bounds {
	const around = 64 << 10
	return bounds{bytes: int64(texts)*maxComponents*bytesComponent + around, brackets: int64(texts) + 64}
}

func chatBounds(tokens int) bounds {
	return bounds{bytes: int64(tokens)*bytesToken + maxLine, line: maxLine}
}

func pullBounds() bounds { return bounds{bytes: maxPullBytes, line: maxLine} }

// meter is what a request's context carries: its bounds, and the first of them
// that an answer exceeded. Ollama's client takes a stream that cannot be read
// on for one that has ended, so that it has to be told here.
type meter struct {
	bounds
	exceeded atomic.Pointer[failure]
}

type meterKey struct{}

// within makes requests whose answers are bounded. An answer that goes beyond
// is a *failure.
func within(ctx context.Context, limit bounds, call func(ctx context.Context) error) error {
	m := &meter{bounds: limit}
	err := call(context.WithValue(ctx, meterKey{}, m))
	if f := m.exceeded.Load(); f != nil {
		return f //nolint:wrapcheck // it is this package's own
	}
	return err
}

// boundedTransport bounds every answer, by the meter of its request's context
// or as a small one. It sees bodies after their decompression.
type boundedTransport struct{ base http.RoundTripper }

func (t boundedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.base.RoundTrip(req)
	if err != nil {
		return nil, err //nolint:wrapcheck // classify wants it as it is
	}
	m, ok := req.Context().Value(meterKey{}).(*meter)
	if !ok {
		m = &meter{bounds: smallAnswer()}
	}
	resp.Body = &boundedBody{ReadCloser: resp.Body, meter: m}
	return resp, nil
}

// boundedBody reads a body as far as its meter allows.
type boundedBody struct {
	io.ReadCloser
	meter *meter

	bytes, line, brackets int64
}

// Read hands out as much as is allowed before it fails: a stream whose beginning
// is enough for its reader must not fail for what was read ahead.
func (b *boundedBody) Read(p []byte) (int, error) {
	left := b.meter.bytes - b.bytes
	if left < 0 {
		return 0, b.fail(tooMuch("it is larger than %s", b.meter.bytes))
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
	if limit.line > 0 && b.longestLine(read) > limit.line {
		return tooMuch("one of its lines is longer than %s", limit.line)
	}
	return nil
}

// longestLine returns the length of the longest line that goes on or begins in
// what was read.
func (b *boundedBody) longestLine(read []byte) int64 {
	longest := int64(0)
	for line := range bytes.Lines(read) {
		b.line += int64(len(line))
		longest = max(longest, b.line)
		if line[len(line)-1] == '\n' {
			b.line = 0
		}
	}
	return longest
}

func tooMuch(format string, limit int64) *failure {
	return badResponse(fmt.Sprintf(format, fmt.Sprintf("%d KiB", limit>>10)))
}

// redirectError is an answer that sends the request elsewhere. It is not
// followed: the request carries text of documents, which the user has trusted
// one host with.
type redirectError struct{ from, to string }

func (e *redirectError) Error() string {
	return fmt.Sprintf("it redirects to %s, which is not followed: text of documents goes from %s to no other address; "+
		"if Ollama is there, make that address the Ollama host", e.to, e.from)
}

// followNone is an http.Client's CheckRedirect.
func followNone(req *http.Request, via []*http.Request) error {
	address := func(r *http.Request) string { return shorten(r.URL.Scheme + "://" + r.URL.Host) }
	return &redirectError{from: address(via[0]), to: address(req)}
}

func isRedirect(err error) bool {
	_, ok := errors.AsType[*redirectError](err)
	return ok
}
