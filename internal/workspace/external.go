package workspace

import (
	"context"
	"fmt"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/watch"
)

// External returns the active project if it has external documentation. The error
// is EXTERNAL_DOCS_NOT_CONFIGURED only if config.json names none. If it names a
// folder that cannot be used, the error says why. config.json is read again first,
// because it may just have been written.
func (w *Workspace) External(ctx context.Context) (*Project, error) {
	active, err := w.Active(ctx)
	if err != nil || active.Definition.Config.ExternalDocs != nil {
		return active, err
	}
	_, problem := w.load(active.Definition.ConfigPath)
	if active, err = w.refresh(ctx, active); err != nil {
		return nil, err
	}
	if active.Definition.Config.ExternalDocs == nil {
		return nil, noExternal(problem)
	}
	active.WaitForAnswer(ctx, nil)
	return active, nil
}

// noExternal returns the error for external docs that the config does not name. problem is what
// is wrong with it, nil if it is valid.
func noExternal(problem error) error {
	if problem != nil {
		return fmt.Errorf(
			"the config is not valid, and the former one, which stays in force, has no external docs: %w", problem)
	}
	e := apierror.Errorf(apierror.ExternalDocsNotConfigured, "external_docs is not configured in project config. "+
		"Add 'external_docs.path' to your .csharp-compounding-docs/config.json file.")
	return e.With("configFile", ".csharp-compounding-docs/config.json").
		With("exampleConfig", map[string]any{"external_docs": map[string]any{
			"path": "./docs", "include_patterns": []string{"**/*.md"}, "exclude_patterns": []string{"**/node_modules/**"},
		}})
}

// externalFolder returns the folder of the external docs.
func externalFolder(p *project.Project, external project.External) watch.Folder {
	inside := p.Root
	if external.RelDir == "" || external.Hidden {
		inside = external.Dir // the user has allowed it
	}
	return watch.Folder{
		Dir: external.Dir, Inside: inside, Prefix: externalPrefix(external), MayBeMissing: true,
		Match: external.Match, Prune: external.Prune,
	}
}
