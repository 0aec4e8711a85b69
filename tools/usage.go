package tools

import (
	"sync"
	"time"

	"github.com/compound-docs/compound-docs/internal/recall"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// usageLog counts what searches return, by the roots of projects. It writes the counts when
// the answers have gone. Safe for concurrent use.
type usageLog struct {
	mu      sync.Mutex
	pending map[string]*recall.Usage
}

// maxQuestion bounds a question that is kept, in characters.
const maxQuestion = 300

// countSearch counts the documents that a search has returned, or keeps the question that
// found none; "" for none to keep.
func (h *Handler) countSearch(active *workspace.Project, question string, hits []rag.Hit) {
	if !h.workspace.CountsSearches() || question == "" && len(hits) == 0 {
		return
	}
	now := time.Now().UTC().Truncate(time.Second)
	once := recall.Count{Times: 1, Last: now}
	seen := recall.Usage{Since: now, Returned: map[string]recall.Count{}}
	for _, hit := range hits {
		seen.Returned[hit.Path] = once
	}
	if len(hits) == 0 {
		seen.Questions = map[string]recall.Count{markdown.CutRunes(question, maxQuestion): once}
	}
	h.usage.mu.Lock()
	defer h.usage.mu.Unlock()
	if len(h.usage.pending) == 0 {
		h.usage.pending = map[string]*recall.Usage{}
		h.workspace.Later(h.writeUsage)
	}
	root := active.Definition.Root
	if h.usage.pending[root] == nil {
		h.usage.pending[root] = &recall.Usage{}
	}
	h.usage.pending[root].Add(seen)
}

func (h *Handler) writeUsage() {
	h.usage.mu.Lock()
	pending := h.usage.pending
	h.usage.pending = nil
	h.usage.mu.Unlock()
	for root, seen := range pending {
		if err := h.recalls.Add(root, *seen); err != nil {
			h.logger.Debug("count what searches return", "error", err)
		}
	}
}
