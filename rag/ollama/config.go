package ollama

import (
	"cmp"
	"errors"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"time"
)

// DefaultHost is where Ollama listens by default.
const DefaultHost = "http://localhost:11434"

// Config says which Ollama server and models a [Client] uses. A zero field takes
// the default in its comment.
type Config struct {
	// Host is the base URL, with or without scheme and port ("gpu-box",
	// "http://localhost:11434", "https://user:secret@ollama.example/api-root").
	// Default: DefaultHost.
	Host string
	// EmbedModel makes the vectors. The prompts that known models want before queries
	// and passages are added to them. Default: mxbai-embed-large.
	EmbedModel string
	// ChatModel writes the answers. Default: mistral.
	ChatModel string
	// Dimensions is the number of components of a vector: shorter vectors get zeros, and
	// models that were trained for it are asked for shorter ones. Default: 1024.
	Dimensions int

	// NumCtx is the chat model's context window in tokens, for prompt and answer
	// together. A model trained for a smaller window gets that. Default: 8192.
	NumCtx int
	// AnswerTokens is the largest number of tokens in an answer. At most a quarter
	// of the context window is used. Default: 1024.
	AnswerTokens int
	// EmbedTimeout bounds one embedding request. Default: 5 minutes.
	EmbedTimeout time.Duration
	// ChatTimeout bounds the wait for the next piece of an answer, including the
	// time to load the model and read the prompt. Default: 5 minutes.
	ChatTimeout time.Duration
	// ChatLimit bounds the time for a whole answer. Default: 15 minutes.
	ChatLimit time.Duration
	// ProbeTimeout bounds small requests such as version and list of models. It is
	// generous, because a slow server still works. Default: 15 seconds.
	ProbeTimeout time.Duration

	// Tries is the total number of attempts of a request that fails with transient
	// errors. RetryDelay is the delay after the first attempt. It doubles after each
	// further one, with a jitter of 20 %.
	// Default: 3 tries, 1 second.
	Tries      int
	RetryDelay time.Duration
	// BreakerCalls is the number of calls in half a minute below which the circuit breaker
	// stays closed. From there on it opens, for BreakerOpen, when half of them fail.
	// Default: 5, 30 seconds.
	BreakerCalls int
	BreakerOpen  time.Duration

	// PullWait is how long a call waits for a missing model that is being
	// pulled. Default: 10 seconds.
	PullWait time.Duration
	// PullRetry is the time after a pull before the next one of the model may start.
	// Default: 1 minute.
	PullRetry time.Duration
	// PullLimit bounds a whole pull. The next pull resumes it. Default: 2 hours.
	PullLimit time.Duration

	// ModelTTL is how long the identity of a model is cached. Default: 1 minute.
	ModelTTL time.Duration

	// Logger is optional; nil logs nothing.
	Logger *slog.Logger
}

// WithDefaults returns a copy with the defaults in place of zero fields.
func (c Config) WithDefaults() Config {
	c.Host = cmp.Or(c.Host, DefaultHost)
	c.EmbedModel = cmp.Or(c.EmbedModel, "mxbai-embed-large")
	c.ChatModel = cmp.Or(c.ChatModel, "mistral")
	c.Dimensions = cmp.Or(c.Dimensions, 1024)
	c.NumCtx = cmp.Or(c.NumCtx, 8192)
	c.AnswerTokens = cmp.Or(c.AnswerTokens, 1024)
	c.EmbedTimeout = cmp.Or(c.EmbedTimeout, 5*time.Minute)
	c.ChatTimeout = cmp.Or(c.ChatTimeout, 5*time.Minute)
	c.ChatLimit = cmp.Or(c.ChatLimit, 15*time.Minute)
	c.ProbeTimeout = cmp.Or(c.ProbeTimeout, 15*time.Second)
	c.Tries = cmp.Or(c.Tries, 3)
	c.RetryDelay = cmp.Or(c.RetryDelay, time.Second)
	c.BreakerCalls = cmp.Or(c.BreakerCalls, 5)
	c.BreakerOpen = cmp.Or(c.BreakerOpen, 30*time.Second)
	c.PullWait = cmp.Or(c.PullWait, 10*time.Second)
	c.PullRetry = cmp.Or(c.PullRetry, time.Minute)
	c.PullLimit = cmp.Or(c.PullLimit, 2*time.Hour)
	c.ModelTTL = cmp.Or(c.ModelTTL, time.Minute)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

var errHostURL = errors.New("the host of Ollama is not a URL such as http://localhost:11434")

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
	if err != nil || parsed.Hostname() == "" || (parsed.Scheme != "http" && parsed.Scheme != "https") {
		return nil, errHostURL
	}
	if bare && parsed.Port() == "" {
		parsed.Host = net.JoinHostPort(parsed.Hostname(), "11434")
	}
	parsed.Path = strings.TrimRight(parsed.Path, "/")
	parsed.RawQuery, parsed.Fragment = "", ""
	return parsed, nil
}
