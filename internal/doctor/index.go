package doctor

import (
	"context"
	"fmt"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/workspace"
)

// checkIndex looks for files that could not be indexed, and for passages that have no
// vector.
func checkIndex(ctx context.Context, e *examination) []Finding {
	if e.project == nil || !e.migrated {
		return one(Skipped, "without a configuration or a database with tables there is none", "")
	}
	head, err := project.Head(e.project.Root)
	if err != nil {
		return one(Skipped, "the branch is not known", "")
	}
	key, err := workspace.LastKey(ctx, e.Index, e.project, head)
	if err != nil {
		return one(Error, what(err), fixOf(err, "run: compound-docs status"))
	}
	var status workspace.Status // as the server that indexes has published it last
	found, inspection, err := e.Index.Inspect(ctx, key, &status)
	switch {
	case err != nil:
		return one(Error, what(err), fixOf(err, "run: compound-docs status"))
	case !found:
		return one(OK, "this checkout is not indexed yet; the first call of a tool does it", "")
	}
	var findings []Finding
	for i, failed := range status.Failed {
		if i == maxNamed {
			break
		}
		findings = append(findings, Finding{
			Severity: Warning, What: fmt.Sprintf("%s is not indexed: %s", failed.Path, failed.Reason),
			Fix: "correct the file; index_document says what is wrong with it, and a server that runs notices the change",
		})
	}
	if more := status.FailedCount - len(findings); more > 0 {
		findings = append(findings, Finding{
			Severity: Warning, What: fmt.Sprintf("%d more files are not indexed", more),
			Fix: "correct these first, and run compound-docs doctor again",
		})
	}
	if status.Waiting != "" {
		findings = append(findings, Finding{
			Severity: Warning, What: "indexing waits: " + status.Waiting, Fix: "see the other findings",
		})
	}
	if inspection.Missing > 0 {
		var run [][]string
		if e.embeds {
			run = [][]string{ours("sync", "--project", e.Root)}
		}
		findings = append(findings, one(Warning,
			fmt.Sprintf("%d of %d passages have no vector, and are found by words only", inspection.Missing, inspection.Chunks),
			"while Ollama runs: compound-docs sync, or start a server, as claude in this repository does", run...)...)
	}
	if len(findings) == 0 {
		findings = one(OK, fmt.Sprintf("%d passages, all with a vector", inspection.Chunks), "")
	}
	return findings
}
