package ollama

import (
	"context"
	"time"

	"github.com/ollama/ollama/api"
)

// HostState describes one of the hosts.
type HostState struct {
	Host    string // URL without user name and password
	Version string // "" if it does not answer
	// Missing are the models of the configuration that it lacks.
	Missing []string
	// Err is why nothing more is known, and nil if it answers.
	Err error
}

// States asks every host, in the order of the configuration. It pulls nothing.
func (c *Client) States(ctx context.Context) []HostState {
	states := make([]HostState, len(c.hosts))
	for i, h := range c.hosts {
		states[i] = HostState{Host: h.name}
		states[i].Version, states[i].Missing, states[i].Err = c.ask(ctx, h)
	}
	return states
}

// hostTimeout is for a host that hangs: somebody waits for the answer.
const hostTimeout = 5 * time.Second

// ask returns a host's version and which models it lacks.
func (c *Client) ask(ctx context.Context, h *host) (version string, missing []string, err error) {
	var list *api.ListResponse
	err = withTimeout(ctx, hostTimeout, func(ctx context.Context) error {
		return withBounds(ctx, smallAnswerBounds(), func(ctx context.Context) error {
			var err error
			if version, err = h.api.Version(ctx); err == nil {
				list, err = h.api.List(ctx)
			}
			return err //nolint:wrapcheck // classify wants it as it is
		})
	})
	if err != nil {
		f := classify(ctx, err)
		f.host = h
		return "", nil, c.publicError(f)
	}
	has := map[string]bool{}
	for _, model := range list.Models {
		has[fullName(model.Name)] = true
	}
	for _, model := range []string{c.cfg.EmbedModel, c.cfg.ChatModel} {
		if !has[fullName(model)] {
			missing = append(missing, model)
		}
	}
	return version, missing, nil
}

// PullMissing has the host that is first to answer pull the models that it lacks, one
// after the other, and calls progress now and then while it does. Other calls wait for
// a model only for a moment; this one waits until it is there.
func (c *Client) PullMissing(ctx context.Context, progress func(model string, status PullStatus)) error {
	var last error
	for _, h := range c.hosts {
		_, missing, err := c.ask(ctx, h)
		if err != nil {
			last = err
			continue
		}
		for _, model := range missing {
			if err := c.pulls.follow(ctx, h, model, func(status PullStatus) { progress(model, status) }); err != nil {
				return err
			}
		}
		return nil
	}
	return last
}

// follow pulls a model and reports the progress until it has ended.
func (p *puller) follow(ctx context.Context, h *host, model string, progress func(PullStatus)) error {
	pull := p.join(ctx, h, model, time.Now())
	if pull == nil {
		return &ModelMissingError{Model: model, Host: h.name, Err: errClosed}
	}
	const often = 200 * time.Millisecond
	ticker := time.NewTicker(often)
	defer ticker.Stop()
	for {
		select {
		case <-pull.done:
			if pull.err != nil {
				return pull.missing()
			}
			progress(pull.lastStatus())
			return nil
		case <-ticker.C:
			progress(pull.lastStatus())
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (p *pull) lastStatus() PullStatus {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.status
}
