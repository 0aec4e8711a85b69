package workspace

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/watch"
)

// External returns the active project if it has external docs. The error is EXTERNAL_DOCS_NOT_CONFIGURED if config.json
// names no folder. If config.json names a folder that cannot be used, the error says why.
func (w *Workspace) External(ctx context.Context) (*Project, error) {
	active, err := w.Active(ctx)
	if err != nil || active.Definition.Config.ExternalDocs != nil {
		return active, err
	}
	if _, err := w.Settings.Load(active.Definition.ConfigPath); err != nil {
		return nil, fmt.Errorf(
			"the config is not valid, and the former one, which stays in force, has no external docs: %w", err)
	}
	const file = project.ConfigDir + "/" + project.ConfigFile
	e := apierror.Errorf(apierror.ExternalDocsNotConfigured, "external_docs is not configured in project config. "+
		"Add 'external_docs.path' to your "+file+" file.")
	return nil, e.With("configFile", file).
		With("exampleConfig", map[string]any{"external_docs": map[string]any{
			"path": "./docs", "include_patterns": []string{"**/*.md"}, "exclude_patterns": []string{"**/node_modules/**"},
		}})
}

// ExternalFolder returns the folder of a project's external docs.
func ExternalFolder(p *project.Project, external project.External) watch.Folder {
	inside := p.Root
	if external.RelDir == "" {
		inside = external.Dir // the user's settings allow the folder
	}
	prefix := cmp.Or(external.RelDir, filepath.ToSlash(external.Dir)) // paths outside the repository stay absolute
	if prefix == "." {
		prefix = ""
	}
	return watch.Folder{
		Dir: external.Dir, Inside: inside, Prefix: prefix, MayBeMissing: true,
		Match: external.Match, Prune: external.Prune, Excluded: external.Excluded,
	}
}
