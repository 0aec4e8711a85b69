// Package ollama embeds texts and generates answers with Ollama. It knows the
// servers, their models and everything that can go wrong with them: retries,
// circuit breakers, missing models, inputs that a model refuses. It must know
// nothing of documents, passages and the database. It is the only package of
// the server that speaks HTTP.
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
	"golang.org/x/sync/singleflight"
)

const (
	cachedQueries   = 256
	connectTimeout  = 5 * time.Second
	idleConnTimeout = 90 * time.Second
)

// Client embeds and generates over one or several Ollama servers. It may be
// used by several goroutines at once, and makes no request before it is asked
// for something.
type Client struct {
	cfg       Config
	hosts     []*host // in configured order, at least one
	transport *http.Transport
	pulls     *puller

	queries   *lru.Cache[queryKey, []float32] // shared vectors, never changed
	inFlight  singleflight.Group              // queries being embedded
	queryText string                          // what goes before a query

	mu     sync.Mutex // guards model, window and the hosts' plain fields
	model  identity
	window window
}

// New makes a client. Only a configuration that can't be right is an error: no
// host is contacted.
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
		queryText: queryPrefix(cfg.EmbedModel),
	}
	for _, base := range urls {
		httpClient := &http.Client{Transport: boundedTransport{transport}, CheckRedirect: followNone}
		client.hosts = append(client.hosts, newHost(base, httpClient, cfg.Breaker, cfg.Logger))
	}
	return client, nil
}

// Close cancels the pulls that are under way, waits for them and drops idle
// connections. Calls under way are their callers' to cancel. Close may be
// called again.
func (c *Client) Close() error {
	c.pulls.close()
	c.transport.CloseIdleConnections()
	return nil
}

// Version returns the version of the first server that answers, in configured
// order.
func (c *Client) Version(ctx context.Context) (string, error) {
	var version string
	f, _ := c.pass(ctx, inOrder, func(ctx context.Context, h *host) (err error) {
		version, err = h.version(ctx, c.cfg.ProbeTimeout)
		return err
	})
	if f != nil {
		return "", fmt.Errorf("ask for ollama's version: %w", c.public(f))
	}
	return version, nil
}

func (h *host) version(ctx context.Context, timeout time.Duration) (string, error) {
	var version string
	err := h.call(ctx, func(ctx context.Context, client *api.Client) error {
		return withTimeout(ctx, timeout, func(ctx context.Context) (err error) {
			version, err = client.Version(ctx)
			version = shorten(version)
			return err //nolint:wrapcheck // classify wants it as it is
		})
	})
	return version, err
}

// newTransport has no limit on how long an answer may take: loading a model
// takes minutes, and each call has its own.
func newTransport() *http.Transport {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: connectTimeout}).DialContext,
		TLSHandshakeTimeout: connectTimeout,
		IdleConnTimeout:     idleConnTimeout,
		// Headers are not part of the body that is bounded.
		MaxResponseHeaderBytes: 64 << 10,
	}
}
