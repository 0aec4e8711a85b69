// Package ollama embeds texts and generates answers with Ollama. It knows the
// servers, their models and how they fail: retries, circuit breakers, missing
// models, inputs that a model rejects. It must not know documents, passages or the
// database. It is the only package of the server that speaks HTTP.
package ollama

import (
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"
)

const (
	cachedQueries   = 256
	connectTimeout  = 5 * time.Second
	idleConnTimeout = 90 * time.Second
)

// Client embeds and generates with one or several Ollama servers. It is safe for
// concurrent use. It contacts no server before the first call.
type Client struct {
	cfg       Config
	hosts     []*host // in configured order, at least one
	transport *http.Transport
	pulls     *puller
	lane      lane

	prompts  prompts                         // of the embedding model
	queries  *lru.Cache[queryKey, []float32] // the vectors are shared: never change them
	inFlight singleflight.Group              // embeds equal concurrent queries once

	mu     sync.Mutex // guards model, window, and busy and seen of each host
	model  identity
	window window
}

// New returns a client. It contacts no host; the error says what is wrong with the
// configuration.
func New(cfg Config) (*Client, error) {
	cfg = cfg.WithDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configure ollama: %w", err)
	}
	urls, err := parseHosts(cfg.Hosts)
	if err != nil {
		return nil, fmt.Errorf("configure ollama: %w", err)
	}
	queries, err := lru.New[queryKey, []float32](cachedQueries)
	if err != nil {
		return nil, fmt.Errorf("make query cache: %w", err)
	}
	transport := newTransport()
	client := &Client{
		cfg:       cfg,
		transport: transport,
		pulls:     newPuller(cfg),
		queries:   queries,
		prompts:   promptsOf(cfg.EmbedModel),
	}
	for _, base := range urls {
		httpClient := &http.Client{Transport: boundedTransport{transport}, CheckRedirect: followNone}
		client.hosts = append(client.hosts, newHost(base, httpClient, cfg.Breaker, cfg.Logger))
	}
	return client, nil
}

// Hosts returns the number of hosts, which is how many requests for passages run at
// once: so many calls of [Client.Embed], each with no more texts than one request
// takes, keep all hosts busy while they last. One more call fills the time in which
// a caller stores the vectors of another.
func (c *Client) Hosts() int { return len(c.hosts) }

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
