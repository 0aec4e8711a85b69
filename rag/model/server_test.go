package model_test

import (
	"context"
	"errors"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/compound-docs/compound-docs/rag/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a server whose answers a test sets. Its zero value has a model without a digest, and embeds at once.
type fake struct {
	model.Server // nil: a test that calls another method fails

	window    int           // below 0 while the server hangs
	embedTime time.Duration // of each text; like Ollama, it embeds one request after the other
	turn      chan struct{}
	// embed and chat replace the answers, if they are not nil. change is called before each request for vectors.
	embed  func(ctx context.Context, request model.EmbedRequest) ([][]float32, error)
	chat   func(ctx context.Context, request model.ChatRequest, write func(piece string)) error
	change func()

	mu        sync.Mutex
	digest    string
	digestErr error
	digests   int // requests for the digest
	requests  [][]string
	chats     []model.ChatRequest
}

func (f *fake) Digest(context.Context, string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.digests++
	return f.digest, f.digestErr
}

// build replaces the model, or the answer about it.
func (f *fake) build(digest string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.digest, f.digestErr = digest, err
}

func (f *fake) Window(ctx context.Context, _ string) (int, error) {
	if f.window < 0 {
		<-ctx.Done()
		return 0, context.Cause(ctx)
	}
	return f.window, nil
}

func (f *fake) Embed(ctx context.Context, request model.EmbedRequest) ([][]float32, error) {
	f.mu.Lock()
	f.requests = append(f.requests, request.Texts)
	f.mu.Unlock()
	if f.change != nil {
		f.change()
	}
	if f.embed != nil {
		return f.embed(ctx, request)
	}
	select {
	case f.turn <- struct{}{}:
		defer func() { <-f.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case <-time.After(f.embedTime * time.Duration(len(request.Texts))):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return vectors(request.Texts), nil
}

func (f *fake) Chat(ctx context.Context, request model.ChatRequest, write func(piece string)) (bool, error) {
	f.mu.Lock()
	f.chats = append(f.chats, request)
	f.mu.Unlock()
	return false, f.chat(ctx, request, write)
}

func (*fake) Close() {}

// made returns how many requests for vectors were made.
func (f *fake) made() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.requests)
}

// asked returns the requests for answers.
func (f *fake) asked() []model.ChatRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.chats)
}

// texts returns the texts that were embedded, in order.
func (f *fake) texts() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Concat(f.requests...)
}

// vector is the vector of a text, of length 1.
func vector(text string) []float32 {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(text))
	v := make([]float32, model.Dimensions)
	v[hash.Sum32()%model.Dimensions] = 1
	return v
}

func vectors(texts []string) [][]float32 {
	made := make([][]float32, len(texts))
	for i, text := range texts {
		made[i] = vector(text)
	}
	return made
}

// newClient has the default waits, for tests in a bubble of fake time.
func newClient(f *fake) *model.Client { return withConfig(f, model.Config{}) }

func withConfig(f *fake, cfg model.Config) *model.Client {
	if cfg.EmbedModel == "" {
		cfg.EmbedModel = "bge-m3" // it has no prompts
	}
	cfg.ChatModel = "mistral"
	f.turn = make(chan struct{}, 1)
	return model.New("fake", "http://h", f, cfg)
}

// away is the failure of a connection.
func away() error {
	return &model.ServerError{Err: errors.New("the connection broke"), Transient: true}
}

func wantUnavailable(t *testing.T, err error, says string) {
	t.Helper()
	if _, ok := errors.AsType[*model.UnavailableError](err); !ok || !strings.Contains(err.Error(), says) {
		t.Errorf("got %v, want an *UnavailableError that says %q", err, says)
	}
}
