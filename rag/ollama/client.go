// Package ollama is the client of Ollama: it makes requests, and says what became of them.
// [model.Client] does the rest, such as retries and prompts. It must not know
// documents, passages or the database. It is the only package of the program that speaks
// HTTP.
package ollama

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/rag/model"
)

// DefaultHost is where Ollama listens by default.
const DefaultHost = "http://localhost:11434"

// Config is [model.Config]. Host is [DefaultHost] by default, and the models are
// mxbai-embed-large and mistral.
type Config = model.Config

// Client embeds and generates with one Ollama server, and pulls its models. It is safe for
// concurrent use. It does not contact the server before the first call.
type Client struct {
	*model.Client

	server *server
	models []string // of the configuration
}

// server makes requests to Ollama. It is a [model.Server].
type server struct {
	base   *url.URL
	host   string // base without user name and password
	http   *http.Client
	pulls  pulls
	logger *slog.Logger
}

// New returns a client. It does not contact the server; the error says what is wrong with
// the configuration.
func New(cfg Config) (*Client, error) {
	cfg.EmbedModel = cmp.Or(cfg.EmbedModel, "mxbai-embed-large")
	cfg.ChatModel = cmp.Or(cfg.ChatModel, "mistral")
	base, err := parseHost(cmp.Or(cfg.Host, DefaultHost))
	if err != nil {
		return nil, fmt.Errorf("configure ollama: %w", err)
	}
	named := *base
	named.User = nil
	const connectTimeout = 5 * time.Second
	transport := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: connectTimeout}).DialContext,
		TLSHandshakeTimeout:    connectTimeout,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
	}
	s := &server{
		base: base, host: named.String(), logger: cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler)),
		// Requests carry the text of documents, which the user allowed to go to one address.
		http: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}},
		pulls: pulls{latest: map[string]pull{}},
	}
	s.pulls.life, s.pulls.end = context.WithCancel(context.Background()) //nolint:fatcontext // it is the client's life
	return &Client{
		Client: model.New("ollama at "+s.host, s, cfg), server: s, models: []string{cfg.EmbedModel, cfg.ChatModel},
	}, nil
}

// Close cancels running pulls, waits for them and closes idle connections. It does not
// cancel other calls. The error is always nil.
func (c *Client) Close() error {
	pulls := &c.server.pulls
	pulls.mu.Lock() // no pull starts after this
	pulls.end()
	pulls.mu.Unlock()
	pulls.running.Wait()
	c.server.http.CloseIdleConnections()
	return nil
}

var errHostURL = errors.New("the host of Ollama is not a URL such as http://localhost:11434; " +
	"correct CDOCS_OLLAMA_HOST, --ollama-host or ollama_host of settings.json")

// parseHost parses a host as Ollama itself does. Without a scheme it is plain HTTP
// on port 11434 unless it names another; with a scheme the default port is the
// scheme's. The error does not repeat the host: it may hold a password.
func parseHost(text string) (*url.URL, error) {
	text = strings.TrimSpace(text)
	bare := !strings.Contains(text, "://")
	if bare {
		text = "http://" + text
	}
	parsed, err := url.Parse(text)
	typo := bare && err == nil && (parsed.Hostname() == "http" || parsed.Hostname() == "https") // as in http//host
	if err != nil || typo || parsed.Hostname() == "" || (parsed.Scheme != "http" && parsed.Scheme != "https") {
		return nil, errHostURL
	}
	if bare && parsed.Port() == "" {
		parsed.Host = net.JoinHostPort(parsed.Hostname(), "11434")
	}
	parsed.Path = strings.TrimRight(parsed.Path, "/")
	parsed.RawQuery, parsed.Fragment = "", ""
	return parsed, nil
}
