package project

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/contain"
)

// DocsDir returns documents.folder, where new documents are written, relative to Root, with / separators and
// without "./". It may be missing.
func (p *Project) DocsDir() string { return p.docsDir }

// DocumentsRoot returns the folder that has all documents, relative to Root: [Project.DocsDir], or "." if
// documents.folders names others.
func (p *Project) DocumentsRoot() string {
	if len(p.places.list) > 0 {
		return "."
	}
	return p.docsDir
}

// Places returns where documents are, as the configuration writes it: the entries of documents.folders, then
// DocsDir.
func (p *Project) Places() []string {
	return append(slices.Clone(p.Config.Documents.Folders), p.docsDir)
}

// DocumentPaths returns files and folders that have all documents, by their paths in DocumentsRoot. Empty means
// that any folder may have some.
func (p *Project) DocumentPaths() []string {
	if p.DocumentsRoot() != "." {
		return nil
	}
	paths := []string{p.docsDir}
	for _, place := range p.places.list {
		base := place.base()
		if base == "." || place.pattern == "**" {
			return nil
		}
		paths = append(paths, base)
	}
	return paths
}

// PlaceOf returns the entry of Places that has a file of the repository as its document, and false without one.
func (p *Project) PlaceOf(relPath string) (string, bool) {
	if contains(p.docsDir, relPath) {
		return p.docsDir, true
	}
	if at := p.places.indexOf(relPath); at >= 0 {
		return p.Config.Documents.Folders[at], true
	}
	return "", false
}

// Holds reports whether a file of the repository lies where documents are, whatever its name.
func (p *Project) Holds(relPath string) bool {
	return contains(p.docsDir, relPath) ||
		slices.ContainsFunc(p.places.list, func(place place) bool { return place.covers(relPath) })
}

// PlacesText names the places in a sentence.
func (p *Project) PlacesText() string {
	places := p.Places()
	if last := len(places) - 1; last > 0 {
		return strings.Join(places[:last], ", ") + " or " + places[last]
	}
	return places[0]
}

// Lenient reports whether documents in DocsDir need no front matter.
func (p *Project) Lenient() bool { return p.Config.Documents.Lenient }

// lenientAt reports whether a document needs no front matter. Nobody can say how the files of documents.folders
// were written.
func (p *Project) lenientAt(relPath string) bool { return p.Lenient() || !contains(p.docsDir, relPath) }

// IsDocument reports whether a file is a document. name is its path in DocumentsRoot, with / separators. The
// schemas folder has documents only in a lenient project.
func (p *Project) IsDocument(name string) bool {
	name = path.Join(p.DocumentsRoot(), name)
	below, ok := strings.CutPrefix(name, p.docsDir+"/")
	if !ok {
		return p.places.has(name)
	}
	return IsMarkdown(name) && copyOrTemplate(name) == "" && (p.Lenient() || !strings.HasPrefix(below, SchemasFolder+"/"))
}

// PruneDocuments reports whether a walk for documents may skip a folder, by its path in DocumentsRoot.
func (p *Project) PruneDocuments(dir string) bool {
	dir = path.Join(p.DocumentsRoot(), dir)
	return !contains(p.docsDir, dir) && !contains(dir, p.docsDir) && p.places.prunes(dir)
}

// linkBase returns the folder that paths in related_docs and wikilinks of a document may be relative to: DocsDir
// for the documents there, and the first of documents.folders for the others.
func (p *Project) linkBase(relPath string) string {
	if contains(p.docsDir, relPath) || len(p.places.list) == 0 { // of these, rules for assistants
		return p.docsDir
	}
	first := p.places.list[0]
	if isPattern(first.pattern) || IsMarkdown(first.pattern) {
		return "."
	}
	return first.pattern
}

// documentsFolder checks documents.folder and returns it as [Project.DocsDir]. The folder may be missing. It must
// not lead out of the repository or to something hidden, because its files are indexed and shown. The error is a
// *ConfigError.
func (p *Project) documentsFolder() (string, error) {
	configured := p.Config.Documents.Folder
	wrong := func(problem string) error {
		return p.configError("documents.folder", fmt.Sprintf("is %q, which %s", configured, problem),
			`Name a folder of the repository, for example "folder": "docs/solutions".`)
	}
	folder := path.Clean(configured)
	if problem := folderProblem(configured, "the repository"); problem != "" {
		return "", wrong(problem)
	}
	if folder == "." {
		return "", wrong("is the repository itself")
	}
	full := filepath.Join(p.Root, filepath.FromSlash(folder))
	target, info, err := resolveInside(p.Root, folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return folder, nil
	case err != nil:
		return "", fileError(full, "", err)
	case target == ".":
		return "", wrong("leads to the repository itself")
	case inAny(gitFolders(p.Root), filepath.Join(p.Root, filepath.FromSlash(target))): // they may be visible
		return "", fileError(full, "", contain.ErrHidden)
	case folder != DocsFolder && !info.IsDir():
		return "", wrong("is not a folder")
	}
	return folder, nil
}
