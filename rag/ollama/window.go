package ollama

import (
	"context"
	"math"
	"time"

	"github.com/ollama/ollama/api"
)

// windowTimeout bounds the requests for a context window, so that they delay an
// answer little. The request itself reports a server that does not respond.
const windowTimeout = 3 * time.Second

// answerDivisor: an answer may take at most this fraction of the context window.
const answerDivisor = 4

// maxEmbedWindow is the largest context window that embeddings are asked for, in tokens:
// several times what a passage has, and little enough to cost no memory that matters.
const maxEmbedWindow = 2048

// window caches the context window that one build of a model was trained for.
type window struct {
	digest string // "" before the server was asked
	tokens int    // 0 if the server does not say
	until  time.Time
}

// ContextWindow returns the largest number of tokens of a prompt and its answer
// together: [Config.NumCtx], or what the chat model was trained for if that is
// less. The server is asked once per build of the model. While it cannot be asked,
// the last known number holds, else the configured one.
func (c *Client) ContextWindow(ctx context.Context) int {
	c.mu.Lock()
	known := c.chatWindow
	c.mu.Unlock()
	if time.Now().Before(known.until) {
		return c.knownChatWindow()
	}
	has, err := c.askBuild(ctx, c.cfg.ChatModel, min(windowTimeout, c.cfg.ProbeTimeout))
	if err == nil && has.digest != known.digest {
		known.digest = has.digest
		known.tokens, err = c.askWindow(ctx, c.cfg.ChatModel)
	}
	if err != nil {
		c.cfg.Logger.DebugContext(ctx, "ask for the context window", "model", c.cfg.ChatModel, "error", err)
		return c.knownChatWindow()
	}
	known.until = time.Now().Add(c.cfg.ModelTTL)
	c.mu.Lock()
	c.chatWindow = known
	c.mu.Unlock()
	return c.knownChatWindow()
}

// knownChatWindow is ContextWindow without asking the server.
func (c *Client) knownChatWindow() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.chatWindow.tokens > 0 {
		return min(c.chatWindow.tokens, c.cfg.NumCtx)
	}
	return c.cfg.NumCtx
}

// forgetWindow makes the next [Client.ContextWindow] ask the server.
func (c *Client) forgetWindow() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.chatWindow = window{tokens: c.chatWindow.tokens}
}

// embedOptions returns the options of a request for vectors: the window that the model
// was trained for, since what Ollama takes by itself may be less. For all-minilm it is
// half of that.
func (c *Client) embedOptions(ctx context.Context) map[string]any {
	c.mu.Lock()
	known, digest := c.embedWindow, c.model.digest
	c.mu.Unlock()
	if known.digest != digest {
		tokens, err := c.askWindow(ctx, c.cfg.EmbedModel)
		if err != nil {
			return nil
		}
		known = window{digest: digest, tokens: tokens}
		c.mu.Lock()
		c.embedWindow = known
		c.mu.Unlock()
	}
	if known.tokens == 0 {
		return nil
	}
	return map[string]any{"num_ctx": min(known.tokens, maxEmbedWindow)}
}

// askWindow asks for the context window that a model was trained for, in tokens,
// 0 if the server does not say. The error is nil or a *failure.
func (c *Client) askWindow(ctx context.Context, model string) (tokens int, err error) {
	err = c.call(ctx, func(ctx context.Context) error {
		return withTimeout(ctx, windowTimeout, func(ctx context.Context) error {
			shown, err := c.api.Show(ctx, &api.ShowRequest{Model: model})
			if err != nil {
				return err //nolint:wrapcheck // classify wants it as it is
			}
			architecture, _ := shown.ModelInfo["general.architecture"].(string)
			length, _ := shown.ModelInfo[architecture+".context_length"].(float64)
			if length >= 1 && length <= math.MaxInt32 {
				tokens = int(length)
			}
			return nil
		})
	})
	return tokens, err
}
