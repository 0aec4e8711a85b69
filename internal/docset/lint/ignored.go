package lint

import (
	"path"
	"strings"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/project"
)

// checkIgnored finds documents that git tracks although a .gitignore names them or their folder. The index leaves such
// documents out. files has all files that git tracks.
func (e *examination) checkIgnored(files []string) {
	root, excluded, seen := e.project.DocumentsRoot(), e.project.Excluded(), map[string]bool{}
	for _, file := range files {
		name, inside := strings.CutPrefix(file, root+"/")
		if root == "." {
			name, inside = file, true
		}
		if !inside || !e.project.IsDocument(name) {
			continue
		}
		ignored := ignoredPart(name, excluded)
		if ignored == "" || seen[ignored] {
			continue
		}
		seen[ignored] = true
		e.add(&docset.Document{Path: path.Join(root, ignored)}, 1, Warning, "left-out", "git tracks documents here, and they are "+
			"left out because .gitignore names them; take the line out of .gitignore, or name the path in documents.folders")
	}
}

// ignoredPart returns the part of a file's path that a .gitignore leaves out: the topmost folder, or the whole path. It
// returns "" if no .gitignore names the path, or if a folder of the path is already left out for another reason.
func ignoredPart(name string, excluded func(name string, folder bool) string) string {
	part := ""
	for element := range strings.SplitSeq(name, "/") {
		part = path.Join(part, element)
		switch excluded(part, part != name) {
		case "":
		case project.GitIgnores:
			return part
		default:
			return ""
		}
	}
	return ""
}
