package tools

import (
	"cmp"
	"context"
	"path/filepath"
	"time"

	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

const (
	// maxFailed is how many failed files an answer lists at most.
	maxFailed = 5
	// reasonTexts is how many times longer than other texts a reason can be: it
	// lists every fault of a file.
	reasonTexts = 3
)

// indexOutput says that the index is behind the files, and why.
type indexOutput struct {
	Root        string         `json:"root"`
	BranchName  string         `json:"branch_name"`
	Pending     int            `json:"pending" jsonschema:"Changed files that are not indexed yet."`
	Embedding   int            `json:"embedding,omitempty" jsonschema:"Passages without a vector yet, found by their words."`
	FailedCount int            `json:"failed_count" jsonschema:"Files that cannot be indexed until they are corrected."`
	Failed      []failedOutput `json:"failed" jsonschema:"The first of the failed files."`
	Waiting     string         `json:"waiting,omitempty" jsonschema:"Why indexing waits."`
	Synced      string         `json:"synced,omitempty" jsonschema:"When the index last held all files."`
}

type failedOutput struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	Since  string `json:"since"`
}

// indexOf returns nil if the index is up to date.
func indexOf(ctx context.Context, active *workspace.Project) *indexOutput {
	status := active.Status(ctx)
	if status.Current() {
		return nil
	}
	out := &indexOutput{
		Root: active.Definition.Root, BranchName: active.Tenant.Key.Branch, Pending: status.Pending(), Embedding: status.Embedding,
		FailedCount: status.FailedCount, Waiting: brief(cmp.Or(status.Waiting, status.EmbeddingWaits)),
	}
	out.Failed, _ = fitList(maxSideList, func(limit int) []failedOutput {
		failed := make([]failedOutput, 0, maxFailed)
		for _, f := range status.Failed[:min(len(status.Failed), maxFailed)] {
			failed = append(failed, failedOutput{
				Path: wirePath(f.Path), Reason: markdown.CutRunes(f.Reason, reasonTexts*limit), Since: f.Since.UTC().Format(time.RFC3339),
			})
		}
		return failed
	})
	if !status.Synced.IsZero() {
		out.Synced = status.Synced.UTC().Format(time.RFC3339)
	}
	return out
}

// wirePath returns a path of the index as answers write it: relative to the
// repository, or absolute for a file outside it.
func wirePath(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return "./" + path
}
