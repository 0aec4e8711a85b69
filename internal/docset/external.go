package docset

import (
	"context"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
)

// ReadExternal reads the external docs of a project, sorted by path. Their links are not followed. After an
// error it returns what it has read so far.
func ReadExternal(ctx context.Context, p *project.Project) ([]*Document, error) {
	documents := []*Document{}
	if _, ok := p.External(); !ok {
		return documents, nil
	}
	folders := workspace.Folders(p)
	err := folders[len(folders)-1].ReadAll(ctx, func(file document.File, err error) {
		d := &Document{Path: file.Path, Content: file.Content, Err: err}
		if err == nil {
			d.Dissection, d.Err = index.Dissect(file, catalog.External, nil)
		}
		documents = append(documents, d)
	})
	slices.SortFunc(documents, func(a, b *Document) int { return strings.Compare(a.Path, b.Path) })
	return documents, err
}
