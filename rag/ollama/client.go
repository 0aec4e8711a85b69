// Package ollama embeds texts and generates answers with Ollama. It knows the server,
// its models and how they fail: retries, a circuit breaker, missing models, inputs that
// a model rejects. It must not know documents, passages or the database. It is the only
// package of the program that speaks HTTP.
package ollama

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/ollama/ollama/api"
)

const (
	cachedQueries   = 256
	connectTimeout  = 5 * time.Second
	idleConnTimeout = 90 * time.Second
	// keepAlive is how long Ollama keeps a model loaded after its last use.
	keepAlive = 30 * time.Minute
)

// Client embeds and generates with one Ollama server. It is safe for concurrent use. It
// does not contact the server before the first call.
type Client struct {
	cfg       Config
	host      string // URL without user name and password
	api       *api.Client
	transport *http.Transport
	breaker   *breaker
	pulls     pulls
	turns     turns

	embedder embedder                        // what is known of the embedding model by its name
	queries  *lru.Cache[queryKey, []float32] // the vectors are shared: never change them

	mu          sync.Mutex // guards the fields below
	model       identity   // of the embedding model
	embedWindow window
	chatWindow  window
	lastFailure *knownFailure
}

// New returns a client. It does not contact the server; the error says what is wrong with
// the configuration.
func New(cfg Config) (*Client, error) {
	cfg = cfg.WithDefaults()
	base, err := parseHost(cfg.Host)
	if err != nil {
		return nil, fmt.Errorf("configure ollama: %w", err)
	}
	queries, _ := lru.New[queryKey, []float32](cachedQueries) // fails for a size below 1 alone
	named := *base
	named.User = nil
	transport := newTransport()
	client := &Client{
		cfg:       cfg,
		host:      named.String(),
		api:       api.NewClient(base, &http.Client{Transport: boundedTransport{transport}, CheckRedirect: followNone}),
		transport: transport,
		turns:     turns{passages: make(chan struct{}, 1)},
		embedder:  embedderOf(cfg.EmbedModel),
		queries:   queries,
		pulls:     pulls{latest: map[string]*pull{}},
	}
	client.breaker = newBreaker(client.host, cfg)
	return client, nil
}

// Close cancels running pulls, waits for them and closes idle connections. It does
// not cancel other calls. Close may be called more than once. The error is always
// nil.
func (c *Client) Close() error {
	c.pulls.close()
	c.transport.CloseIdleConnections()
	return nil
}

// newTransport returns a transport without a response timeout: loading a model
// takes minutes, and each call has its own timeout.
func newTransport() *http.Transport {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: connectTimeout}).DialContext,
		TLSHandshakeTimeout: connectTimeout,
		IdleConnTimeout:     idleConnTimeout,
		// boundedTransport limits bodies only.
		MaxResponseHeaderBytes: 64 << 10,
	}
}

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
