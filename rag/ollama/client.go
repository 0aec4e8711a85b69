// Package ollama embeds texts and generates answers with Ollama. It knows the server,
// its models and how they fail: retries, a circuit breaker, missing models, inputs that
// a model rejects. It must not know documents, passages or the database. It is the only
// package of the program that speaks HTTP.
package ollama

import (
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
		turns:     newTurns(),
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
