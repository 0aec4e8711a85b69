package tools

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/recall"
	"github.com/compound-docs/compound-docs/internal/workspace"
)

// RecallInput has the parameters of recall.
type RecallInput = recall.Event

// RecallOutput is the answer of recall.
type RecallOutput = recall.Answer

func recallTool() Tool {
	return newTool((*Handler).Recall, &mcp.Tool{
		Name:        "recall",
		Title:       "Recall",
		Description: "For hooks: one line about the document that a prompt, command, failure or edit needs, or silence.",
		Meta:        searchHint("called by hooks, not by the model"),
		Annotations: readOnly(),
		InputSchema: inputSchema[RecallInput](map[string][]property{
			"event": {
				oneOf(recall.Prompt, recall.Before, recall.After, recall.Failure, recall.Started, recall.Compact), example(recall.Prompt),
			},
			"session_id": {notEmpty, example("3f2c")},
			"prompt":     {example("why is the pool exhausted?")},
			"tool_name":  {example("Edit")},
			"file_path":  {example("db/pool.go")},
			"command":    {example("rm -rf build")},
			"new_string": {example("pool.Close()")},
			"content":    {example("package db")},
			"error":      {example("Exit code 1")},
			"agent_type": {example("Explore")},
		}),
		OutputSchema: outputSchema[RecallOutput](nil),
	})
}

// recallPatience bounds what a hook waits for: an assistant waits for its hooks.
const recallPatience = time.Second

// Recall answers a hook. It never fails: it logs an error and answers nothing.
func (h *Handler) Recall(ctx context.Context, in RecallInput) (RecallOutput, error) {
	if h.hangs() {
		return RecallOutput{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, recallPatience)
	defer cancel()
	out, err := h.recall(ctx, in)
	if err != nil {
		h.noteHang(ctx, err)
		h.logger.DebugContext(ctx, "recall is silent", "event", in.Event, "error", err)
		return RecallOutput{}, nil
	}
	return out, nil
}

// recall returns what to tell the assistant.
func (h *Handler) recall(ctx context.Context, in RecallInput) (RecallOutput, error) {
	act := in.Act()
	if act == recall.Compacting {
		return RecallOutput{}, h.recalls.Update(ctx, in.SessionID, func(s *recall.Session) error {
			s.Compact()
			return nil
		})
	}
	active, err := h.workspace.ActiveWithin(ctx)
	if err != nil {
		return RecallOutput{}, err
	}
	allowed := h.workspace.Recall(active)
	if allowed == project.RecallOff || act == recall.Nothing || act != recall.Asking && allowed == project.RecallPrompt {
		return RecallOutput{}, nil
	}
	candidates, searchErr := h.candidates(ctx, active, in)
	var text string
	var deny bool
	err = h.recalls.Update(ctx, in.SessionID, func(s *recall.Session) error {
		if in.Event == recall.Before {
			s.Calls++
		}
		text, deny = recall.Choose(s, active.Definition.Root, in, candidates, allowed == project.RecallGuard, time.Now())
		text = noteAct(s, active, in, text, allowed != project.RecallPrompt)
		return nil
	})
	if err != nil || text == "" {
		return RecallOutput{}, errors.Join(err, searchErr)
	}
	hook := &recall.Output{Event: in.Event, Context: plain.Hook(text)}
	if deny {
		hook = &recall.Output{Event: in.Event, Decision: "deny", Reason: plain.Hook(text)}
	}
	out := RecallOutput{Hook: hook}
	if h.workspace.Settings().RecallVisible {
		out.Message = plain.Hook(text)
	}
	return out, nil
}

func isOwn(active *workspace.Project, name string) bool {
	return active.IsDocument(name)
}

// noteAct keeps in the session what the event says, and returns what to say: the pointer, or what is due
// without one.
func noteAct(s *recall.Session, active *workspace.Project, in RecallInput, pointer string, reminds bool) string {
	switch in.Act() {
	case recall.Asking:
		if pointer == "" && reminds && s.RemindDue {
			s.RemindDue = false
			return recall.Reminder
		}
	case recall.Reading, recall.Writing:
		name, inside := relativePath(active.Definition.Root, in.FilePath)
		switch {
		case !inside || !isOwn(active, name):
		case in.Act() == recall.Reading:
			s.Open(active.Definition.Root, name)
		default:
			s.Wrote, s.RemindDue = true, false
		}
	case recall.Failing:
		s.Fail(in.Command)
	case recall.Succeeding:
		if s.Succeed(in.Command) && !s.Asked && !s.Wrote {
			s.Asked = true
			return recall.Solved
		}
	case recall.Delegating:
		s.Delegate(recall.Task{Agent: in.Agent, Text: pointer})
		return ""
	case recall.Beginning:
		return s.Begin(in.Agent)
	default:
	}
	return pointer
}

// relativePath returns the path of a file in the repository, and false for one outside.
func relativePath(root, file string) (string, bool) {
	if !filepath.IsAbs(file) {
		file = filepath.Join(root, file)
	}
	if resolved, err := filepath.EvalSymlinks(filepath.Dir(file)); err == nil {
		file = filepath.Join(resolved, filepath.Base(file))
	}
	name, err := filepath.Rel(root, file)
	return filepath.ToSlash(name), err == nil && filepath.IsLocal(name) && name != "."
}
