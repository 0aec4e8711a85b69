package project

import (
	"path"
	"path/filepath"
	"slices"
)

// Excluded returns a function that says why a file or a folder is left out of the project's own documents, by its
// path in [Project.DocumentsRoot]: "" if it is not. It does not ask about the folders above. It has git's rules of
// the moment, and is for one goroutine.
//
// Something that the configuration names itself is never left out.
func (p *Project) Excluded() func(name string, folder bool) string {
	named := append(slices.Clone(p.places.list), place{pattern: p.docsDir})
	for _, docType := range p.types {
		named = append(named, place{pattern: path.Join(p.docsDir, docType.Folder)})
	}
	return exclusions(p.Root, p.DocumentsRoot(), named)
}

// Excluded is as [Project.Excluded], for paths in e.Dir.
func (e External) Excluded() func(name string, folder bool) string {
	var named []place
	for _, pattern := range e.include {
		named = append(named, place{pattern: path.Join(e.RelDir, pattern)})
	}
	if e.RelDir != "" {
		return exclusions(e.root, e.RelDir, append(named, place{pattern: e.RelDir}))
	}
	return exclusions("", "", named)
}

// exclusions returns the function of [Project.Excluded] for paths in a folder of the repository at root. root is ""
// outside a repository, where git's rules do not count.
func exclusions(root, folder string, named []place) func(name string, folder bool) string {
	ignored := Ignoring(root, folder)
	folders := map[string]string{} // that were asked for
	return func(name string, isFolder bool) string {
		why, known := "", false
		if isFolder {
			why, known = folders[name]
		}
		switch {
		case known:
			return why
		case isFolder && vendored(path.Base(name)):
			why = "written by others or made by a program"
		case ignored(name, isFolder):
			why = "git ignores it"
		}
		isNamed := func(p place) bool {
			holds, byName := p.mayHold(path.Join(folder, name))
			return holds && byName
		}
		if why != "" && slices.ContainsFunc(named, isNamed) {
			why = ""
		}
		if isFolder {
			folders[name] = why
		}
		return why
	}
}

// Ignoring returns a function that reports whether git ignores a file or a folder, by its path in a folder of root and
// git's rules of the moment. It does not ask about the folders above, and is for one goroutine. A repository that
// ignores root itself has no say: it is one for the user's settings.
func Ignoring(root, folder string) func(name string, folder bool) bool {
	nothing := func(string, bool) bool { return false }
	dirs, err := findGit(root)
	if root == "" || err != nil || dirs.own == "" {
		return nothing
	}
	prefix, ok := relative(dirs.top, root)
	if !ok {
		return nothing
	}
	rules := &gitignore{top: dirs.top, common: dirs.common, inForce: map[string][]ignoreRules{}}
	for above := prefix; above != "."; above = path.Dir(above) {
		if rules.ignores(filepath.ToSlash(above), true) {
			return nothing
		}
	}
	prefix = path.Join(prefix, folder)
	return func(name string, isFolder bool) bool { return rules.ignores(path.Join(prefix, name), isFolder) }
}
