package project

import (
	"os"
	"path"
	"path/filepath"
	"slices"
)

// GitIgnores is the reason of [Project.Excluded] for files and folders that git ignores.
const GitIgnores = "git ignores it"

// Excluded returns a function that says why a file or a folder is left out of the project's own documents, or "" if
// it is not. The function takes a path in [Project.DocumentsRoot]. It does not check the folders above, keeps git's
// rules once it has read them, and is for one goroutine.
//
// A file or folder that the configuration names itself is never left out.
func (p *Project) Excluded() func(name string, folder bool) string {
	named := append(slices.Clone(p.places.list), place{pattern: p.docsDir})
	for _, docType := range p.types {
		named = append(named, place{pattern: path.Join(p.docsDir, docType.Folder)})
	}
	madeElsewhere := func(folder string) bool { return packaged(folder) || vendored(folder) && !contains(p.docsDir, folder) }
	return exclusions(p.Root, p.DocumentsRoot(), named, madeElsewhere)
}

// Exclusions is like [Project.Excluded] for the repository at root, with these entries of documents.folders.
func Exclusions(root string, folders []string) func(name string, folder bool) string {
	named, _ := placesOf(root, folders) // with an invalid entry, nothing counts as named
	return exclusions(root, ".", named, vendored)
}

// Excluded is like [Project.Excluded], for paths in e.Dir. If the configuration has its own exclude_patterns, no
// folder is left out as vendored.
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

// exclusions returns the function of [Project.Excluded] for paths in a folder of the repository at root. root is ""
// outside a repository; then git's rules do not count. madeElsewhere is like [vendored], for a path in the repository.
func exclusions(
	root, folder string, named []place, madeElsewhere func(folder string) bool,
) func(name string, folder bool) string {
	ignored := ignoring(root, folder)
	// onlyByDot reports whether the files of a folder are documents only because of the entry ".".
	onlyByDot := func(name string) bool {
		return root != "" && !slices.ContainsFunc(named, func(p place) bool {
			holds, _ := p.mayHold(path.Join(folder, name))
			return holds && p.pattern != "**"
		})
	}
	folders := map[string]string{} // answers for folders
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

// foreign says why the entry "." leaves a folder out, or "" if it does not. The markdown of such a folder is not about
// the project.
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

// ignoring returns a function that reports whether git ignores a file or a folder. It takes a path in a folder of root,
// does not check the folders above, and is for one goroutine. The rules of a repository that ignores root itself do not
// count: such a repository holds the user's settings.
func ignoring(root, folder string) func(name string, folder bool) bool {
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
