package project

import (
	"path"
	"slices"
	"strings"
)

// DocTypeOf returns the doc-type of a file, or false if the file is not a document. relPath is relative to Root with /
// separators, and may begin with "./". A file in a folder of a doc-type in DocsDir has that doc-type. In a strict
// project, other files in DocsDir are no documents. The doc-type of any other document comes from the nearest folder
// with a name that docTypeCalled knows. If no folder has such a name, the doc-type is [fallbackType].
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
	if home && !p.Lenient() || !home && p.places.indexOf(clean) < 0 {
		return DocType{}, false
	}
	for dir := path.Dir(clean); dir != "."; dir = path.Dir(dir) {
		if t, ok := p.docTypeCalled(path.Base(dir)); ok {
			return t, true
		}
	}
	return p.DocType(fallbackType)
}

// fallbackType is the doc-type of a document whose folders imply no doc-type. Most documentation describes code.
const fallbackType = "codebase"

// commonFolders maps a built-in doc-type to other names of its folders. The names come from decision records and from
// the compound-engineering plugin, which keeps all kinds of failures in solutions.
var commonFolders = map[string][]string{
	"problem":  {"solutions", "incidents", "postmortems", "troubleshooting"},
	"insight":  {"learnings"},
	"codebase": {"adr", "adrs", "architecture", "architecture-patterns", "decisions", "design-patterns"},
	"tool":     {"tooling", "tooling-decisions"},
	"style":    {"best-practices", "conventions"},
}

// docTypeCalled returns the doc-type that a folder's name implies, or false. Case does not matter, and _ counts as -.
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
