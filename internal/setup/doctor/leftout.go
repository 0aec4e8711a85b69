package doctor

import (
	"context"
	"maps"
	"path"
	"slices"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/watch"
)

// leftOut has paths that are not read, by the reason.
type leftOut map[string][]string

func (l leftOut) add(path, why string) { l[why] = append(l[why], path) }

// passedOver notes what a walk of a folder leaves out, except pictures. Of the whole repository that is only what lies
// in a place of documents.
func (e *examination) passedOver(
	ctx context.Context, folder watch.Folder, collection catalog.Collection, left leftOut,
) error {
	return folder.LeftOut(ctx, func(name string, isFolder bool, why string) {
		indexed := path.Join(folder.Prefix, name)
		own := collection == catalog.Compounding
		switch {
		case !isFolder && project.IsPicture(name), own && !isFolder && !e.project.Holds(indexed), !own && e.project.Holds(indexed):
			return
		case why == "":
			why = project.LeftOut(name, isFolder)
		}
		switch {
		case isFolder:
			indexed += "/"
		case why == "" && !project.IsMarkdown(name):
			why = "no markdown"
		case why == "":
			why = "the configuration does not name them"
		}
		left.add(indexed, why)
	})
}

// findings has one for each reason.
func (l leftOut) findings() []Finding {
	var findings []Finding
	for _, why := range slices.Sorted(maps.Keys(l)) {
		const named = 20
		paths := l[why]
		slices.Sort(paths)
		findings = append(findings, one(OK, "left out ("+why+"): "+plain.Some(paths, named), "")...)
	}
	return findings
}
