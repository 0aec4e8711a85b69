package ollama

import (
	"context"
	"math"
	"time"

	"github.com/ollama/ollama/api"
)

// windowTimeout is what the answer to a question may be delayed by asking for
// the window: a host that does not answer is found out by the chat itself.
const windowTimeout = 3 * time.Second

// answerShare is the part of a window that an answer may have at most.
const answerShare = 4

// window is what the client knows of the chat model's context window.
type window struct {
	digest string // of the model; "" until some host was asked
	tokens int    // what the model was made for; 0 where it does not say
	until  time.Time
}

// ContextWindow returns how many tokens a prompt and its answer may have
// together: as many as configured, or as the chat model was made for if those
// are fewer. The model is asked once a build; where it cannot be asked the
// configured number holds.
func (c *Client) ContextWindow(ctx context.Context) int {
	c.mu.Lock()
	known := c.window
	c.mu.Unlock()
	if time.Now().Before(known.until) {
		return c.knownWindow()
	}
	f, _ := c.pass(ctx, inOrder, func(ctx context.Context, h *host) error {
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
			known.tokens, err = h.trainedWindow(ctx, c.cfg.ChatModel)
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

// knownWindow is ContextWindow as far as it is known without asking.
func (c *Client) knownWindow() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.window.tokens > 0 {
		return min(c.window.tokens, c.cfg.NumCtx)
	}
	return c.cfg.NumCtx
}

// forgetWindow makes the next [Client.ContextWindow] ask.
func (c *Client) forgetWindow() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.window = window{tokens: c.window.tokens}
}

// trainedWindow asks for the window that a model was made for, 0 if the host
// does not say. The error is nil or a *failure.
func (h *host) trainedWindow(ctx context.Context, model string) (tokens int, err error) {
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
