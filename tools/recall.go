package tools

import (
	"context"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/internal/hooks"
	"github.com/compound-docs/compound-docs/internal/workspace"
)

func recallTool() Tool {
	recall := func(h *Handler, ctx context.Context, in hooks.Event) (hooks.Answer, error) {
		return h.Recall(ctx, in), nil
	}
	return newTool(ofServer, recall, &mcp.Tool{
		Name:        "recall",
		Title:       "Recall",
		Description: "Called by hooks, not by the model.",
		Meta:        searchHint("called by hooks, not by the model"),
		Annotations: readOnly(),
		InputSchema: inputSchema[hooks.Event](map[string][]property{
			"event": {
				oneOf(hooks.Prompt, hooks.Before, hooks.After, hooks.Failure, hooks.Started, hooks.Compact), example(hooks.Prompt),
			},
			"session_id": {notEmpty, example("3f2c")},
			"prompt":     {example("why is the pool exhausted?")},
			"tool_name":  {example("Edit")},
			"file_path":  {example("db/pool.go")},
			"command":    {example("rm -rf build")},
			"cwd":        {example("/home/user/shop")},
			"sql":        {example("DROP TABLE orders")},
			"new_string": {example("pool.Close()")},
			"old_string": {example("pool.Reset()")},
			"content":    {example("package db")},
			"error":      {example("Exit code 1")},
			"agent_type": {example("Explore")},
		}),
		OutputSchema: outputSchema[hooks.Answer](nil),
	})
}

const (
	// recallTimeout limits the work for a hook, because the assistant waits for it.
	recallTimeout = time.Second
	// firstRecallTimeout is the limit while no project is active, as at the start. Assistants end a hook after 5 s.
	firstRecallTimeout = 4 * time.Second
)

// Recall answers a hook. If it fails, it logs the error and returns an empty answer.
func (h *Handler) Recall(ctx context.Context, in hooks.Event) hooks.Answer {
	patience := recallTimeout
	if name, _ := h.workspace.Current(); name == "" {
		patience = firstRecallTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	out, err := h.recall(ctx, in)
	if err != nil {
		h.logger.DebugContext(ctx, "recall is silent", "event", in.Event, "error", err)
		return hooks.Answer{}
	}
	return out
}

func (h *Handler) recall(ctx context.Context, in hooks.Event) (hooks.Answer, error) {
	if in.Event == hooks.Compact {
		return hooks.Answer{}, h.recalls.Update(ctx, in.SessionID, (*hooks.Session).Compact)
	}
	active, err := h.workspace.ActiveWithin(ctx)
	if err != nil {
		return hooks.Answer{}, err
	}
	if in.Root != "" && in.Root != active.Definition.Root {
		return hooks.Answer{}, errors.New("another project is active")
	}
	return hooks.Handle(ctx, h.recalls, h.hooksOf(active), in)
}

// Preview returns what hooks would say about an act in a new session, and why.
func (h *Handler) Preview(ctx context.Context, in hooks.Event) ([]hooks.Said, error) {
	active, err := h.workspace.Active(ctx)
	if err != nil {
		return nil, err
	}
	return hooks.Preview(ctx, h.hooksOf(active), in)
}

func (h *Handler) hooksOf(active *workspace.Project) hooks.Project {
	return hooks.Project{
		Searcher: h.workspace.Searcher, Documents: active, Sources: active.Sources(),
		Root: active.Definition.Root, Tenant: active.Tenant, IsDocument: active.IsDocument,
		Settings: h.workspace.Settings, Config: active.Definition.Config, Behind: active.Noticed().Pending() > 0,
	}
}
