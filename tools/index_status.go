package tools

import (
	"path/filepath"

	"github.com/compound-docs/compound-docs/internal/session"
	"github.com/compound-docs/compound-docs/rag"
)

// maxFailed bounds the failed files that an answer lists.
const maxFailed = 5

// indexOutput tells that answers may lack something, and why.
type indexOutput struct {
	BranchName  string         `json:"branch_name"`
	Pending     int            `json:"pending" jsonschema:"Changed files that are not indexed yet."`
	FailedCount int            `json:"failed_count" jsonschema:"Files that cannot be indexed until they are corrected."`
	Failed      []failedOutput `json:"failed" jsonschema:"The first of the failed files."`
	Waiting     string         `json:"waiting,omitempty" jsonschema:"Why indexing waits."`
}

type failedOutput struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// indexOf returns nil when the index holds all that is on disk.
func indexOf(active *session.Active) *indexOutput {
	status := active.Status()
	if !status.Synced.IsZero() && len(status.Failed) == 0 && status.Pending() == 0 && status.Err == nil {
		return nil
	}
	out := &indexOutput{
		BranchName: active.Tenant.Key.Branch, Pending: status.Pending(), FailedCount: len(status.Failed),
		Failed: make([]failedOutput, 0, maxFailed),
	}
	for _, failure := range status.Failed[:min(len(status.Failed), maxFailed)] {
		out.Failed = append(out.Failed, failedOutput{Path: wirePath(failure.Path), Reason: rag.AsError(failure.Err).Error()})
	}
	if status.Err != nil {
		out.Waiting = rag.AsError(status.Err).Error()
	}
	return out
}

// wirePath is how answers write a path of the index: relative to the repository
// unless the file is outside it.
func wirePath(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return "./" + path
}
