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
	// maxReason limits the reason of a failed file, in characters. The reason lists every fault of the file.
	maxReason = 900
	// briefReason limits the reason in an answer that is not about the index.
	briefReason = 120
)

// IndexStatus says how far the index is behind the files, and why. Answers leave it out if the index is up to date.
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

// indexOfHits returns the index's status for the answer of a search, or nil if the index is up to date. old is the
// status before the search. A file is pending if it was pending in old, or if it has changed since it was found. The
// status names only the first failed file, briefly. If saysWhy is set, the answer itself says why vectors are missing.
func indexOfHits(
	active *workspace.Project, old workspace.IndexStatus, of catalog.Collection, saysWhy bool, hits ...[]rag.Hit,
) *IndexStatus {
	noticed := active.Noticed()
	if saysWhy {
		noticed.EmbeddingWaits = ""
	}
	status := statusOf(active, noticed, max(old.Pending(), active.Outdated(of, slices.Concat(hits...))))
	if status != nil {
		status.Failed = status.Failed[:min(len(status.Failed), 1)]
		for i := range status.Failed {
			status.Failed[i].Reason = cutLine(status.Failed[i].Reason, briefReason)
		}
	}
	return status
}

// statusOf converts a status for an answer. The answer says that at least minPending files are pending. statusOf
// returns nil if the index is up to date and there is no note about git.
func statusOf(active *workspace.Project, status workspace.IndexStatus, minPending int) *IndexStatus {
	status.Queued += max(0, minPending-status.Pending())
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

// wirePath returns a path as answers show it: absolute, or beginning with ./ in the repository. It quotes a path that
// does not print on one line.
func wirePath(path string) string {
	path = catalog.Shown(path)
	if !plain.Prints(path) {
		return plain.Path(path)
	}
	return path
}
