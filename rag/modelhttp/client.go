// Package modelhttp makes the HTTP requests of the clients of model servers, and returns their failures as errors of
// rag/model. No other package of the program speaks HTTP.
package modelhttp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/rag/model"
)

// Bounds of the bodies of answers in bytes, after decompression.
const (
	MaxAnswer = 1 << 20 // a small answer, such as an error or the list of models
	MaxChat   = 2 << 20
)

// MaxVectors bounds the body of an answer with a number of vectors, in bytes. Vectors too long for the index fit too.
func MaxVectors(vectors int) int64 {
	const components, bytesComponent, around = 8 << 10, 24, 256 << 10
	return int64(vectors)*components*bytesComponent + around
}

// Client makes requests to one server. It is safe for concurrent use.
type Client struct {
	Host string // the server's URL without user name and password
	http *http.Client

	kind Kind
	base *url.URL
	path string // the default, for an address without a path
	key  string
	// hidden replaces secrets in texts from the server, which may repeat the key and the address's password.
	hidden *strings.Replacer
}

// Kind describes a kind of server in errors.
type Kind struct {
	Name    string // such as "an Ollama server"
	Example string // of a URL
	Port    string // the default, for an address without scheme and port; "" for HTTP's default
	Start   string // how to start a server that does not run
	Access  string // what to check when the server refuses access
	Set     string // how to set another address; the address follows
	Address string // how to correct an address
}

// New returns a client of the server at an address, and does not contact the server. path is the default for an address
// without a path. The client sends the key, unless it is "", as a bearer token.
func New(kind Kind, address, path, key string) (*Client, error) {
	base, err := parseURL(kind, address)
	if err != nil {
		return nil, err
	}
	base.Path = cmp.Or(base.Path, path)
	named := *base
	named.User = nil
	key = strings.TrimSpace(key)
	const connectTimeout = 5 * time.Second
	transport := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: connectTimeout}).DialContext,
		TLSHandshakeTimeout:    connectTimeout,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
	}
	return &Client{
		Host: named.String(), kind: kind, base: base, path: path, key: key, hidden: hidden(base, key),
		// Redirects are not followed: the user allowed text of documents to go to one address only.
		http: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}},
	}, nil
}

// hidden returns a replacer for the secrets that requests carry.
func hidden(base *url.URL, key string) *strings.Replacer {
	password, _ := base.User.Password()
	basic := base64.StdEncoding.EncodeToString([]byte(base.User.Username() + ":" + password))
	var pairs []string
	for _, secret := range []string{key, password, basic} {
		if secret != "" {
			pairs = append(pairs, secret, "[secret]")
		}
	}
	return strings.NewReplacer(pairs...)
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// parseURL parses an address. Without a scheme, an address means plain HTTP on the kind's port. The error does not
// repeat the address, which may hold a password.
func parseURL(kind Kind, address string) (*url.URL, error) {
	address = strings.TrimSpace(address)
	bare := !strings.Contains(address, "://")
	if bare {
		address = "http://" + address
	}
	parsed, err := url.Parse(address)
	typo := bare && err == nil && (parsed.Hostname() == "http" || parsed.Hostname() == "https") // as in http//host
	if err != nil || typo || parsed.Hostname() == "" || (parsed.Scheme != "http" && parsed.Scheme != "https") {
		return nil, fmt.Errorf("the host is not a URL such as %s; %s", kind.Example, kind.Address)
	}
	if bare && parsed.Port() == "" && kind.Port != "" {
		parsed.Host = net.JoinHostPort(parsed.Hostname(), kind.Port)
	}
	parsed.Path = strings.TrimRight(parsed.Path, "/")
	parsed.RawQuery, parsed.Fragment = "", ""
	return parsed, nil
}

// Ask makes a request and decodes its answer into result. payload is nil for a GET.
func (c *Client) Ask(ctx context.Context, path string, payload, result any, limit int64) error {
	body, err := c.Send(ctx, path, payload, limit)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	if err := json.NewDecoder(body).Decode(result); err != nil {
		return c.Unreadable(err)
	}
	return nil
}

// Send makes a request and returns the body of the answer, which the caller closes. A body longer than limit bytes ends
// with an error.
func (c *Client) Send(ctx context.Context, path string, payload any, limit int64) (io.ReadCloser, error) {
	method, body := http.MethodGet, io.Reader(http.NoBody)
	if payload != nil {
		encoded, err := json.Marshal(payload)
		if err != nil {
			return nil, fmt.Errorf("encode a request: %w", err)
		}
		method, body = http.MethodPost, bytes.NewReader(encoded)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base.JoinPath(path).String(), body)
	if err != nil {
		return nil, fmt.Errorf("make a request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.unreached(err)
	}
	resp.Body = http.MaxBytesReader(nil, resp.Body, limit)
	if resp.StatusCode == http.StatusOK {
		return resp.Body, nil
	}
	defer func() { _ = resp.Body.Close() }()
	if location, _ := resp.Location(); location != nil {
		return nil, &model.ServerError{Status: resp.StatusCode, Err: fmt.Errorf("it redirects to %s, which is not followed: "+
			"text of documents goes from %s to no other address; if the server is there, configure that address",
			shorten(c.hidden.Replace(location.Scheme+"://"+location.Host)), c.Host)}
	}
	text, _ := io.ReadAll(resp.Body) // without the text, the status says enough
	err = c.Refused(resp.StatusCode, Message(text))
	if failure, ok := errors.AsType[*model.ServerError](err); ok {
		failure.RetryAfter = retryAfter(resp.Header.Get("Retry-After"))
	}
	return nil, err
}

// retryAfter reads a Retry-After header: seconds or a date (RFC 9110). It returns 0 for another text.
func retryAfter(value string) time.Duration {
	seconds, err := strconv.ParseUint(value, 10, 31)
	if err != nil {
		at, err := http.ParseTime(value)
		if err != nil {
			return 0
		}
		return max(0, time.Until(at))
	}
	return time.Duration(seconds) * time.Second
}

// Message returns the message in the body of a refusal, such as Ollama's {"error": "…"} or OpenAI's {"error":
// {"message": "…"}}. For another body it returns the whole text, or "a web page".
func Message(text []byte) string {
	var refusal struct {
		Error json.RawMessage `json:"error"`
	}
	var detailed struct {
		Message string `json:"message"`
	}
	plain := ""
	switch {
	case json.Unmarshal(text, &refusal) != nil:
	case json.Unmarshal(refusal.Error, &plain) == nil:
		return plain
	case json.Unmarshal(refusal.Error, &detailed) == nil && detailed.Message != "":
		return detailed.Message
	case json.Unmarshal(text, &detailed) == nil && detailed.Message != "":
		return detailed.Message
	}
	if bytes.HasPrefix(text, []byte("<")) {
		return "a web page"
	}
	return string(text)
}
