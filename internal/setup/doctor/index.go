package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/setup/clients"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag/model"
)

func checkIndex(ctx context.Context, e *examination) []Finding {
	if e.project == nil {
		return one(Skipped, "there is none without a configuration", "")
	}
	head, err := project.Head(e.project.Root)
	if err != nil {
		what, fix, ok := strings.Cut(err.Error(), "; ")
		if !ok {
			fix = "run: git -C " + clients.Quote(e.Root) + " status"
		}
		return one(Error, what, fix)
	}
	findings := e.checkClone(head)
	add := func(what, fix string) { findings = append(findings, one(Warning, what, fix)...) }
	if !e.migrated {
		return append(findings, one(Skipped, "there is none without a database that has tables", "")...)
	}
	key, err := workspace.LastKey(ctx, e.Index, e.project)
	if err != nil {
		return e.failed(err)
	}
	var current *model.Model
	if e.embeds {
		made, err := e.ModelServers[0].Client.EmbedModel(ctx)
		if err != nil {
			return one(Error, err.Error(), "")
		}
		current = &made
	}
	var status workspace.IndexStatus // the last status that a server wrote to the index
	indexed, counted, err := e.Index.Inspect(ctx, key, current, &status)
	switch {
	case err != nil:
		return e.failed(err)
	case !indexed:
		return append(findings, one(OK, "this checkout is not indexed yet; the first call of a tool does it", "")...)
	}
	if len(status.Failed) > 0 {
		failed := status.Failed[0]
		add(fmt.Sprintf("%s not indexed: %s: %s", plain.Count(status.FailedCount, "file"), failed.Path, failed.Reason),
			"run: compound-docs lint, and correct the files; a server that runs notices the change")
	}
	if status.Waiting != "" {
		add("indexing waits: "+status.Waiting, "see the other findings")
	}
	if counted.Missing > 0 {
		add(fmt.Sprintf("%d of %d passages have no vector of the model %s, and are found by words and built-in vectors",
			counted.Missing, counted.Chunks, e.Settings.EmbeddingModel),
			"while the model server runs: compound-docs sync, or start a server, as claude in this repository does")
	}
	if len(findings) == 0 {
		findings = one(OK, fmt.Sprintf("%d passages, all with a vector", counted.Chunks), "")
	}
	return findings
}

// checkClone reports that git has locked the files, or that the clone is shallow. Otherwise it returns nil.
func (e *examination) checkClone(head project.GitHead) []Finding {
	lock, since, _ := head.Lock() // the server reports the error
	if !since.IsZero() {
		return one(Warning, "git is changing the files, and nothing is indexed while "+lock+" is there",
			command("rm", lock)+", if no git runs here")
	}
	_, err := os.Stat(filepath.Join(filepath.Dir(head.HeadFile), "shallow"))
	if err != nil || !head.InRepository {
		return nil
	}
	return one(Warning, "this clone has only the newest commits: dates of documents may be wrong, and changed places are not found",
		command("git", "-C", e.Root, "fetch", "--unshallow"))
}
