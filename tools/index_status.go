package tools

import (
	"cmp"
	"slices"
	"time"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

const (
	// maxFailed is the maximum number of failed files in an answer.
	maxFailed = 5
	// maxReason bounds a reason, in characters. A reason lists every fault of a file.
	maxReason = 900
	// briefReason bounds a reason in an answer about something else.
	briefReason = 120
)

// IndexStatus says how far the index is behind the files, and why. Answers have it only if something is behind.
type IndexStatus struct {
	Root        string       `json:"root"`
	BranchName  string       `json:"branch_name"`
	Pending     int          `json:"pending"`
	Embedding   int          `json:"embedding,omitempty"`
	FailedCount int          `json:"failed_count"`
	Failed      []FailedFile `json:"failed"`
	Waiting     string       `json:"waiting,omitempty"`
	Synced      string       `json:"synced,omitempty"`
	Note        string       `json:"note,omitempty"`
}

// FailedFile is a file that cannot be indexed.
type FailedFile struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	Since  string `json:"since"`
}

// indexOfHits returns the status for the answer of a search, or nil if the index was and is up to date. before is
// the status before the search. Hits whose files have changed count as pending. It names only the first failed
// file, briefly. It leaves out why vectors are missing if the answer says why the search could not use them.
func indexOfHits(
	active *workspace.Project, before workspace.IndexStatus, of catalog.Collection, saysWhy bool, hits ...[]rag.Hit,
) *IndexStatus {
	noticed := active.Noticed()
	if saysWhy {
		noticed.EmbeddingWaits = ""
	}
	status := statusOf(active, noticed, max(before.Pending(), active.Outdated(of, slices.Concat(hits...))))
	if status != nil {
		status.Failed = status.Failed[:min(len(status.Failed), 1)]
		for i := range status.Failed {
			status.Failed[i].Reason = cutLine(status.Failed[i].Reason, briefReason)
		}
	}
	return status
}

// statusOf converts a status for an answer. It returns nil if the index is up to date, outdated is 0, and there is no
// note about git.
func statusOf(active *workspace.Project, status workspace.IndexStatus, outdated int) *IndexStatus {
	status.Queued += max(0, outdated-status.Pending())
	note := active.GitNote()
	if status.Current() && note == "" {
		return nil
	}
	out := &IndexStatus{
		Root: wirePath(active.Definition.Root), BranchName: active.Tenant.Key.Branch, Pending: status.Pending(),
		Embedding:   status.Embedding,
		Note:        note,
		FailedCount: status.FailedCount, Waiting: brief(cmp.Or(status.Waiting, status.EmbeddingWaits)),
	}
	failed := make([]FailedFile, 0, maxFailed)
	for _, f := range status.Failed[:min(len(status.Failed), maxFailed)] {
		failed = append(failed, FailedFile{
			Path: wirePath(f.Path), Reason: cutLine(f.Reason, maxReason), Since: f.Since.UTC().Format(time.RFC3339),
		})
	}
	out.Failed, _ = fit(failed, maxSideList)
	if !status.Synced.IsZero() {
		out.Synced = status.Synced.UTC().Format(time.RFC3339)
	}
	return out
}

// wirePath returns a path in the form of answers: absolute, or relative to the repository. It quotes a path that does
// not print on one line.
func wirePath(path string) string {
	path = catalog.Shown(path)
	if !plain.Prints(path) {
		return plain.Path(path)
	}
	return path
}
