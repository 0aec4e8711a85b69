package project

import (
	"path"
	"slices"
	"strings"
)

// DocTypeOf returns the doc-type that the folder of a file implies. relPath is relative to Root with / separators, and
// may begin with "./". The nearest folder above the file with a doc-type's name, or with a common name of such folders,
// decides; without one the type is [fallbackType]. It returns false for a file that is not a document. A file that needs
// front matter is a document only in a doc-type's folder.
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
		if t, ok := p.DocTypeCalled(path.Base(dir)); ok {
			return t, true
		}
	}
	return p.DocType(fallbackType)
}

// fallbackType is for documents of a lenient project whose folders say nothing: most documentation of a
// repository describes its code.
const fallbackType = "codebase"

// commonFolders has common names of folders, by built-in doc-type: those of decision records, and the
// categories of the compound-engineering plugin. The plugin has its categories of failures in solutions.
var commonFolders = map[string][]string{
	"problem":  {"solutions", "incidents", "postmortems", "troubleshooting"},
	"insight":  {"learnings"},
	"codebase": {"adr", "adrs", "architecture", "architecture-patterns", "decisions", "design-patterns"},
	"tool":     {"tooling", "tooling-decisions"},
	"style":    {"best-practices", "conventions"},
}

// DocTypeCalled returns the doc-type for the name of a folder, in any case and with _ for -.
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
