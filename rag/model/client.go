package model

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Dimensions is the number of components of a vector. Zeros fill up a shorter vector. A model that can shorten its
// vectors is asked to do so.
const Dimensions = 1024

const (
	embedTimeout = 5 * time.Minute // for the vectors of passages
	queryTimeout = 5 * time.Second // for the vector of a query
	smallTimeout = time.Second     // for a request that needs no loaded model
	// loadTimeout is for a query after an idle time of KeepLoaded, because the server may have to load the model.
	loadTimeout = 20 * time.Second
	// A call without a deadline waits at least loadChatTimeout for the first piece of an answer.
	loadChatTimeout = 2 * time.Minute
	nextPiece       = time.Minute     // the longest wait for each further piece
	reading         = 5 * time.Second // between two signs that the model still reads the prompt
)

// KeepLoaded is how long a server is asked to keep a model loaded after its last use.
const KeepLoaded = 30 * time.Minute

// Config says which server and models a [Client] uses. A zero field takes the default in its comment.
type Config struct {
	// Host is the server's base URL, with or without scheme and port.
	Host string
	// Key is sent to the server as a bearer token. Default: none.
	Key string
	// EmbedModel makes the vectors, and ChatModel writes the answers.
	EmbedModel, ChatModel string
	// NumCtx is the chat model's context window in tokens, for prompt and answer together. Default: 8192. It is never more
	// than the model was trained for.
	NumCtx int
	// FirstPiece bounds the wait for the first piece of an answer. Default: 50 s. For a call whose context has no deadline,
	// the wait is at least 2 minutes.
	FirstPiece time.Duration
	// RetryDelay is the pause before the second try of a request. It doubles before the third. Default: 1 second.
	RetryDelay time.Duration
	// ModelTTL is how long the client assumes that the embedding model has not changed. Default: 5 s.
	ModelTTL time.Duration
	// Logger is optional; nil logs nothing.
	Logger *slog.Logger
}

// Client embeds texts and generates answers with one [Server], which it contacts at the first call. Safe for concurrent
// use.
type Client struct {
	cfg           Config
	name          string // such as "ollama at http://localhost:11434"
	host          string // URL without user name and password
	server        Server
	embedder      embedder // found by the embedding model's name
	embeds, chats *circuit

	// Queries overtake passages: Ollama embeds one text after the other, in the order of the requests. So at most one
	// request for passages is sent at a time, and none while a query waits.
	waiting  atomic.Int32  // number of queries that wait for their vectors
	passages chan struct{} // holds an element while a request for passages runs

	mu       sync.Mutex // guards the fields below
	digest   string     // of the embedding model at digestAt
	digestAt time.Time
	embedAt  time.Time // the end of the last request for vectors
	// queries caches the vectors of the last queries. Callers get copies of these vectors. An assistant asks several
	// collections one question, and Ollama takes 30 ms or more for a vector.
	queries *lru.Cache[queryKey, []float32]
}

type queryKey struct{ digest, text string }

// New returns a client of a server. host is the server's URL without user name and password. Errors name the server by
// its kind, such as "ollama", and its host.
func New(kind, host string, server Server, cfg Config) *Client {
	const rememberedQueries = 256
	name := kind + " at " + host
	cfg.NumCtx = cmp.Or(cfg.NumCtx, 8192)
	cfg.FirstPiece = cmp.Or(cfg.FirstPiece, 50*time.Second)
	cfg.RetryDelay = cmp.Or(cfg.RetryDelay, time.Second)
	cfg.ModelTTL = cmp.Or(cfg.ModelTTL, 5*time.Second)
	cfg.Logger = cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler))
	queries, _ := lru.New[queryKey, []float32](rememberedQueries) // fails only for a size below 1
	embedder, _ := embedderOf(cfg.EmbedModel)
	return &Client{
		cfg: cfg, name: name, host: host, server: server, embedder: embedder,
		embeds:   newCircuit(cfg.Logger.With("server", name, "requests", "embeddings")),
		chats:    newCircuit(cfg.Logger.With("server", name, "requests", "answers")),
		passages: make(chan struct{}, 1),
		queries:  queries,
	}
}

// EmbedModel identifies the embedding model. It asks the server, or returns the last answer within [Config.ModelTTL].
// It returns the errors of [Client.Embed].
func (c *Client) EmbedModel(ctx context.Context) (Model, error) {
	c.mu.Lock()
	digest, age := c.digest, time.Since(c.digestAt)
	c.mu.Unlock()
	if age > c.cfg.ModelTTL {
		asked, err := c.askDigest(ctx)
		if err != nil {
			return Model{}, err
		}
		digest = asked
	}
	return Model{
		Name: c.cfg.EmbedModel, Digest: digest,
		Dimensions: Dimensions, PromptVersion: c.embedder.version(),
	}, nil
}

// askDigest asks for the embedding model's digest. If it has changed, the client forgets the vectors of queries.
func (c *Client) askDigest(ctx context.Context) (string, error) {
	digest, err := retry(ctx, c, c.embeds, queryTimeout, func(ctx context.Context) (string, error) {
		ctx, cancel := context.WithTimeoutCause(ctx, queryTimeout, noAnswer(queryTimeout))
		defer cancel()
		digest, err := c.server.Digest(ctx, c.cfg.EmbedModel)
		return digest, causeOf(ctx, err)
	})
	if err != nil {
		return "", fmt.Errorf("identify model %s: %w", c.cfg.EmbedModel, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if digest != c.digest {
		c.digest = digest
		c.queries.Purge()
	}
	c.digestAt = time.Now()
	return digest, nil
}

// State asks the server once for its name and for the models that it lacks. State.Err is set if that fails.
func (c *Client) State(ctx context.Context, models ...string) State {
	ctx, cancel := context.WithTimeoutCause(ctx, queryTimeout, noAnswer(queryTimeout))
	defer cancel()
	state := State{Host: c.host}
	if err := causeOf(ctx, c.server.State(ctx, models, &state)); err != nil {
		state.Err = &UnavailableError{Server: c.name, CircuitState: CircuitClosed, Err: err}
		state.Remedy = c.server.Remedy(err)
	}
	return state
}

// PullMissing makes the server pull the models that it lacks. It calls progress with the bytes of the part that is
// being downloaded. total is 0 in a step without a download.
func (c *Client) PullMissing(
	ctx context.Context, models []string, progress func(model string, completed, total int64),
) error {
	state := c.State(ctx, models...)
	for _, name := range state.Missing {
		err := c.server.Pull(ctx, name, func(completed, total int64) { progress(name, completed, total) })
		if err != nil {
			return &UnavailableError{Server: c.name, CircuitState: CircuitClosed, Err: fmt.Errorf("pull %s: %w", name, err)}
		}
	}
	return state.Err
}

// Close closes idle connections. It does not cancel calls.
func (c *Client) Close() { c.server.Close() }
