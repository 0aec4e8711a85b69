package doctor

import (
	"context"
	"fmt"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag/model"
)

func checkIndex(ctx context.Context, e *examination) []Finding {
	if e.project == nil || !e.migrated {
		return one(Skipped, "there is none without a configuration and a database with tables", "")
	}
	if _, err := project.Head(e.project.Root); err != nil {
		return one(Skipped, "the branch is not known", "")
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
	var status workspace.Status // last published by the server that indexes
	indexed, counted, err := e.Index.Inspect(ctx, key, current, &status)
	switch {
	case err != nil:
		return e.failed(err)
	case !indexed:
		return one(OK, "this checkout is not indexed yet; the first call of a tool does it", "")
	}
	var findings []Finding
	add := func(what, fix string) { findings = append(findings, one(Warning, what, fix)...) }
	others := 0
	for _, failed := range status.Failed {
		if e.unindexed[failed.Path] {
			continue
		}
		if others++; others <= maxNamed {
			add(failed.Path+" is not indexed: "+failed.Reason, "correct the file; a server that runs notices the change")
		}
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
