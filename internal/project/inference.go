package project

import (
	"path"
	"slices"
	"strings"
)

// DocTypeOf returns the doc-type that the folder of a file implies. relPath is relative to Root with
// / separators, and may begin with "./". A file that is in no doc-type's folder, such as a schema,
// has none. In a lenient project every document has one: that of the nearest folder above it that
// is called like a doc-type, or as teams call such folders; otherwise [fallbackType].
func (p *Project) DocTypeOf(relPath string) (DocType, bool) {
	clean := path.Clean(relPath)
	below, ok := strings.CutPrefix(clean, p.docsDir+"/")
	if !ok {
		return DocType{}, false
	}
	for _, t := range p.types {
		if strings.HasPrefix(below, t.Folder+"/") {
			return t, true
		}
	}
	if !p.Lenient() {
		return DocType{}, false
	}
	for dir := path.Dir(clean); dir != "."; dir = path.Dir(dir) {
		if t, ok := p.DocTypeCalled(path.Base(dir)); ok {
			return t, true
		}
	}
	return p.DocType(fallbackType)
}

// fallbackType is the doc-type of a lenient project's document whose folders say nothing: most
// documentation of a repository describes its code.
const fallbackType = "codebase"

// commonFolders has common names of folders of documents, by built-in doc-type: architecture
// decision records, and the categories that the compound-engineering plugin sorts knowledge into.
// Its categories of failures, such as build-errors, are all in a folder solutions.
var commonFolders = map[string][]string{
	"problem":  {"solutions", "incidents", "postmortems", "troubleshooting"},
	"insight":  {"learnings"},
	"codebase": {"adr", "adrs", "architecture", "architecture-patterns", "decisions", "design-patterns"},
	"tool":     {"tooling", "tooling-decisions"},
	"style":    {"best-practices", "conventions"},
}

// DocTypeCalled returns the doc-type that a folder with the name would hold, in any case of letters
// and with _ for -.
func (p *Project) DocTypeCalled(folder string) (DocType, bool) {
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
