package project

import (
	"path"
	"slices"
	"strings"
)

// DocTypeOf returns the doc-type that a file's folder implies, or false if the file is not a document. relPath is
// relative to Root with / separators, and may begin with "./". The nearest folder that docTypeCalled knows
// decides. If none is known, the type is [fallbackType]. In a strict project a file of DocsDir is a document only in a
// doc-type's folder.
func (p *Project) DocTypeOf(relPath string) (DocType, bool) {
	clean := path.Clean(relPath)
	if p.isRule(clean) {
		return p.DocType("style")
	}
	below, home := strings.CutPrefix(clean, p.docsDir+"/")
	if home {
		for _, t := range p.types {
			if strings.HasPrefix(below, t.Folder+"/") {
				return t, true
			}
		}
	}
	if home && !p.Lenient() || !home && !p.places.has(clean) {
		return DocType{}, false
	}
	for dir := path.Dir(clean); dir != "."; dir = path.Dir(dir) {
		if t, ok := p.docTypeCalled(path.Base(dir)); ok {
			return t, true
		}
	}
	return p.DocType(fallbackType)
}

// fallbackType is the doc-type if a document's folders do not imply one: most documentation of a repository
// describes its code.
const fallbackType = "codebase"

// commonFolders maps a built-in doc-type to common names of its folders. They come from decision records and from the
// categories of the compound-engineering plugin. The plugin keeps all its categories of failures in solutions.
var commonFolders = map[string][]string{
	"problem":  {"solutions", "incidents", "postmortems", "troubleshooting"},
	"insight":  {"learnings"},
	"codebase": {"adr", "adrs", "architecture", "architecture-patterns", "decisions", "design-patterns"},
	"tool":     {"tooling", "tooling-decisions"},
	"style":    {"best-practices", "conventions"},
}

// docTypeCalled returns the doc-type for a folder's name, or false if there is none. Case does not matter, and _
// equals -.
func (p *Project) docTypeCalled(folder string) (DocType, bool) {
	folder = strings.ReplaceAll(strings.ToLower(folder), "_", "-")
	for _, t := range p.types {
		if folder == strings.ToLower(t.Folder) || folder == strings.ReplaceAll(t.Name, "_", "-") {
			return t, true
		}
	}
	for name, folders := range commonFolders {
		if slices.Contains(folders, folder) {
			return p.DocType(name)
		}
	}
	return DocType{}, false
}
