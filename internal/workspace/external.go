package workspace

import (
	"path/filepath"
	"strings"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/watch"
)

// externalFolder is the folder of the external docs. Where the docs folder is a
// symbolic link into it, what that leads to is the project's own, and is left out
// here: no file is indexed twice.
func externalFolder(p *project.Project, external project.External) watch.Folder {
	inside := p.Root
	if external.RelDir == "" {
		inside = external.Dir // the user has allowed it
	}
	own := func(string) bool { return false }
	if target, err := filepath.Rel(external.Dir, docsTarget(p)); err == nil && filepath.IsLocal(target) {
		target = filepath.ToSlash(target)
		own = func(name string) bool {
			return target == "." || name == target || strings.HasPrefix(name, target+"/")
		}
	}
	return watch.Folder{
		Dir: external.Dir, Inside: inside, Prefix: externalPrefix(external), MayBeMissing: true,
		Match: func(name string) bool { return external.Match(name) && !own(name) },
		Prune: func(dir string) bool { return external.Prune(dir) || own(dir) },
	}
}

// docsTarget is where the docs folder is, without symbolic links; "" if nowhere.
func docsTarget(p *project.Project) string {
	target, err := filepath.EvalSymlinks(filepath.Join(p.Root, filepath.FromSlash(p.DocsDir())))
	if err != nil {
		return ""
	}
	return target
}
