package project

import (
	"os"
	"path"
	"path/filepath"
	"slices"
)

// GitIgnores is the reason that [Project.Excluded] gives for files and folders that git ignores.
const GitIgnores = "git ignores it"

// Excluded returns a function that says why a file or a folder is left out of the project's own documents. It returns
// "" for a file or a folder that stays. A file or folder that the configuration names always stays.
//
// name is a path in [Project.DocumentsRoot]. The function does not check the folders above name. It reads git's ignore
// rules only once, and only one goroutine may call it.
func (p *Project) Excluded() func(name string, folder bool) string {
	named := append(slices.Clone(p.places.list), place{pattern: p.docsDir})
	for _, docType := range p.types {
		named = append(named, place{pattern: path.Join(p.docsDir, docType.Folder)})
	}
	madeElsewhere := func(folder string) bool { return packaged(folder) || vendored(folder) && !contains(p.docsDir, folder) }
	return exclusions(p.Root, p.DocumentsRoot(), named, madeElsewhere)
}

// Exclusions is like [Project.Excluded], for paths in the repository at root. folders are the entries of
// documents.folders. The repository needs no configuration.
func Exclusions(root string, folders []string) func(name string, folder bool) string {
	named, _ := placesOf(root, folders) // with an invalid entry, nothing counts as named
	return exclusions(root, ".", named, vendored)
}

// Excluded returns a function that says why a file or a folder in e.Dir is left out, as [Project.Excluded] explains. If
// the configuration sets exclude_patterns, no folder is left out as vendored.
func (e External) Excluded() func(name string, folder bool) string {
	var named []place
	for _, pattern := range e.include {
		named = append(named, place{pattern: path.Join(e.RelDir, pattern)})
	}
	madeElsewhere := vendored
	if !slices.Equal(e.exclude, defaultExternalDocs().ExcludePatterns) {
		madeElsewhere = func(string) bool { return false }
	}
	if e.RelDir != "" {
		return exclusions(e.root, e.RelDir, append(named, place{pattern: e.RelDir}), madeElsewhere)
	}
	return exclusions("", "", named, madeElsewhere)
}

// exclusions returns the function of [Project.Excluded], for paths in folder, which is relative to root. Outside a
// repository root is "", and git's rules do not count. named has places that always stay. madeElsewhere is [vendored]
// or a similar function for a path in the repository.
func exclusions(
	root, folder string, named []place, madeElsewhere func(folder string) bool,
) func(name string, folder bool) string {
	ignored := ignoring(root, folder)
	// onlyByDot reports whether a folder's files are documents only because documents.folders has the entry ".".
	onlyByDot := func(name string) bool {
		return root != "" && !slices.ContainsFunc(named, func(p place) bool {
			holds, _ := p.mayHold(path.Join(folder, name))
			return holds && p.pattern != "**"
		})
	}
	folders := map[string]string{} // reasons that were found before
	return func(name string, isFolder bool) string {
		why, known := "", false
		if isFolder {
			why, known = folders[name]
		}
		switch {
		case known:
			return why
		case isFolder && madeElsewhere(path.Join(folder, name)):
			why = "written by others or made by a program"
		case ignored(name, isFolder):
			why = GitIgnores
		case isFolder && name != "." && onlyByDot(name):
			why = foreign(filepath.Join(root, folder, name))
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

// foreign says why a folder's markdown is not about the project. The entry "." of documents.folders leaves such a
// folder out. foreign returns "" for any other folder.
func foreign(dir string) string {
	exists := func(elements ...string) bool {
		_, err := os.Lstat(filepath.Join(append([]string{dir}, elements...)...))
		return err == nil
	}
	base := filepath.Base(dir)
	switch {
	case exists(".git"):
		return "another git repository"
	case slices.Contains([]string{"testdata", "__fixtures__", "__snapshots__"}, base):
		return "material for tests"
	case slices.Contains([]string{"themes", "archetypes"}, base) && exists("..", "content"):
		return "material for a site"
	}
	return ""
}

// ignoring returns a function that reports whether git ignores a file or a folder. name is a path in folder, which is
// relative to root. The function does not check the folders above name, and only one goroutine may call it. Rules that
// ignore root itself do not count. They belong to a git repository for something else, such as the user's settings.
func ignoring(root, folder string) func(name string, folder bool) bool {
	nothing := func(string, bool) bool { return false }
	dirs, err := findGit(root)
	if root == "" || err != nil || dirs.own == "" {
		return nothing
	}
	prefix, _ := relative(dirs.top, root) // top is root, or above root
	rules := &gitignore{top: dirs.top, common: dirs.common, inForce: map[string][]ignoreRules{}}
	for above := prefix; above != "."; above = path.Dir(above) {
		if rules.ignores(above, true) {
			return nothing
		}
	}
	prefix = path.Join(prefix, folder)
	return func(name string, isFolder bool) bool { return rules.ignores(path.Join(prefix, name), isFolder) }
}
