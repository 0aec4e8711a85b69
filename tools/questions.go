package tools

import (
	"context"
	"time"

	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// maxQuestion bounds a question that is kept, in characters.
const maxQuestion = 300

// keepQuestion keeps a question that found nothing, unless the user's settings forbid it.
func (h *Handler) keepQuestion(ctx context.Context, active *workspace.Project, question string) {
	if !h.workspace.KeepsQuestions() {
		return
	}
	err := h.recalls.AddQuestion(ctx, active.Definition.Root, markdown.CutRunes(question, maxQuestion), time.Now().UTC())
	if err != nil {
		h.logger.DebugContext(ctx, "keep a question that found nothing", "error", err)
	}
}
