package workspace

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/watch"
)

// External returns the active project with its external documentation. The error
// is EXTERNAL_DOCS_NOT_CONFIGURED only if config.json names none. If it names a
// folder that cannot be used, the error says why. config.json is read again first,
// because it may just have been written.
func (w *Workspace) External(ctx context.Context) (*Project, External, error) {
	active, err := w.Active(ctx)
	if err != nil {
		return nil, External{}, err
	}
	external, ok := active.External()
	if ok {
		return active, external, nil
	}
	p, problem := w.load(active.Definition.ConfigPath)
	if problem != nil {
		return nil, External{}, externalProblem(problem)
	}
	if _, ok := p.External(); !ok {
		return nil, External{}, notConfigured()
	}
	if active, err = w.refresh(ctx, active); err != nil {
		return nil, External{}, err
	}
	if external, ok = active.External(); !ok { // the config has changed again
		return nil, External{}, notConfigured()
	}
	waitCtx, cancel := context.WithTimeout(ctx, SyncWait)
	defer cancel()
	active.WaitSynced(waitCtx, nil)
	return active, external, nil
}

// externalProblem returns the error for external docs while the config is invalid.
func externalProblem(problem error) error {
	op := "the config has become invalid, and the one before it, which stays in force, has no external docs"
	var configErr *project.ConfigError
	if errors.As(problem, &configErr) && strings.HasPrefix(configErr.Key, "external_docs") {
		op = "the external docs cannot be searched"
	}
	return fmt.Errorf("%s: %w", op, problem)
}

func notConfigured() *apierror.Error {
	e := apierror.Errorf(apierror.ExternalDocsNotConfigured, "external_docs is not configured in project config. "+
		"Add 'external_docs.path' to your .csharp-compounding-docs/config.json file.")
	return e.With("configFile", ".csharp-compounding-docs/config.json").
		With("exampleConfig", map[string]any{"external_docs": map[string]any{
			"path": "./docs", "include_patterns": []string{"**/*.md"}, "exclude_patterns": []string{"**/node_modules/**"},
		}})
}

// externalFolder returns the folder of the external docs without the project's own
// documents, also where the docs folder is a symbolic link: no file is indexed
// twice.
func externalFolder(p *project.Project, external project.External) watch.Folder {
	inside := p.Root
	if external.RelDir == "" || external.Hidden {
		inside = external.Dir // the user has allowed it
	}
	own := func(string) bool { return false }
	docs := docsTarget(p)
	if target, ok := pathWithin(external.Dir, docs); ok {
		own = func(name string) bool {
			return target == "." || name == target || strings.HasPrefix(name, target+"/")
		}
	} else if _, ok := pathWithin(docs, external.Dir); ok {
		own = func(string) bool { return true }
	}
	return watch.Folder{
		Dir: external.Dir, Inside: inside, Prefix: externalPrefix(external), MayBeMissing: true,
		Match: func(name string) bool { return external.Match(name) && !own(name) },
		Prune: func(dir string) bool { return external.Prune(dir) || own(dir) },
	}
}

// pathWithin returns the path of target relative to dir, and false if target is
// not in it.
func pathWithin(dir, target string) (relative string, ok bool) {
	relative, err := filepath.Rel(dir, target)
	return filepath.ToSlash(relative), err == nil && filepath.IsLocal(relative)
}

// docsTarget is where the docs folder is, without symbolic links; "" if nowhere.
func docsTarget(p *project.Project) string {
	target, err := filepath.EvalSymlinks(filepath.Join(p.Root, filepath.FromSlash(p.DocsDir())))
	if err != nil {
		return ""
	}
	return target
}
