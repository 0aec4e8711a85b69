package ollama

import (
	"context"
	"math"
	"time"

	"github.com/ollama/ollama/api"
)

// windowTimeout bounds the requests for the context window, so that they delay an
// answer little. The chat request itself reports a host that does not respond.
const windowTimeout = 3 * time.Second

// answerDivisor: an answer may take at most this fraction of the context window.
const answerDivisor = 4

// window caches the chat model's context window.
type window struct {
	digest string // of the model; "" until a host was asked
	tokens int    // that the model was trained for; 0 if it does not say
	until  time.Time
}

// ContextWindow returns the largest number of tokens of a prompt and its answer
// together: [Config.NumCtx], or what the chat model was trained for if that is
// less. The host is asked once per build of the model. While it cannot be asked,
// the last known number holds, else the configured one.
func (c *Client) ContextWindow(ctx context.Context) int {
	c.mu.Lock()
	known := c.window
	c.mu.Unlock()
	if time.Now().Before(known.until) {
		return c.knownWindow()
	}
	f, _ := c.tryHosts(ctx, inOrder, func(ctx context.Context, h *host) error {
		models, err := h.models(ctx, min(windowTimeout, c.cfg.ProbeTimeout))
		if err != nil {
			return err
		}
		has, ok := models[fullName(c.cfg.ChatModel)]
		if !ok {
			return &failure{kind: modelMissing, host: h, err: errNotListed}
		}
		if has.digest != known.digest {
			known.digest = has.digest
			known.tokens, err = h.modelWindow(ctx, c.cfg.ChatModel)
		}
		return err
	})
	if f != nil {
		c.cfg.Logger.DebugContext(ctx, "ask for the context window", "model", c.cfg.ChatModel, "error", f)
		return c.knownWindow()
	}
	known.until = time.Now().Add(c.cfg.ModelTTL)
	c.mu.Lock()
	c.window = known
	c.mu.Unlock()
	return c.knownWindow()
}

// knownWindow is ContextWindow without asking a host.
func (c *Client) knownWindow() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.window.tokens > 0 {
		return min(c.window.tokens, c.cfg.NumCtx)
	}
	return c.cfg.NumCtx
}

// forgetWindow makes the next [Client.ContextWindow] ask a host.
func (c *Client) forgetWindow() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.window = window{tokens: c.window.tokens}
}

// modelWindow asks for the context window that a model was trained for, in tokens,
// 0 if the host does not say. The error is nil or a *failure.
func (h *host) modelWindow(ctx context.Context, model string) (tokens int, err error) {
	err = h.call(ctx, func(ctx context.Context, client *api.Client) error {
		return withTimeout(ctx, windowTimeout, func(ctx context.Context) error {
			shown, err := client.Show(ctx, &api.ShowRequest{Model: model})
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
