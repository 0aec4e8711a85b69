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

// DocsDir returns documents.folder, the folder of new documents. The path is relative to Root, with / separators
// and without "./". The folder may not exist.
func (p *Project) DocsDir() string { return p.docsDir }

// DocumentsRoot returns the folder that has all documents except rules for assistants, relative to Root. It is
// [Project.DocsDir], or "." if documents.folders has entries.
func (p *Project) DocumentsRoot() string {
	if len(p.places.list) > 0 {
		return "."
	}
	return p.docsDir
}

// Places returns the places of documents: the entries of documents.folders as they are written, then DocsDir.
func (p *Project) Places() []string {
	return append(slices.Clone(p.Config.Documents.Folders), p.docsDir)
}

// DocumentPaths returns files and folders that together hold all documents in DocumentsRoot. The paths are relative to
// DocumentsRoot. The result is nil if documents may be anywhere in DocumentsRoot.
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

// PlaceOf returns the entry of Places to which a document of the repository belongs, or false without such an entry.
func (p *Project) PlaceOf(relPath string) (string, bool) {
	if contains(p.docsDir, relPath) {
		return p.docsDir, true
	}
	if at := p.places.indexOf(relPath); at >= 0 {
		return p.Config.Documents.Folders[at], true
	}
	return "", false
}

// Holds reports whether a file of the repository lies in one of the Places, whatever the file's name.
func (p *Project) Holds(relPath string) bool {
	return contains(p.docsDir, relPath) ||
		slices.ContainsFunc(p.places.list, func(place place) bool { return place.covers(relPath) })
}

// PlacesText lists the Places for a sentence, as in "docs, notes or adr".
func (p *Project) PlacesText() string {
	places := p.Places()
	if last := len(places) - 1; last > 0 {
		return strings.Join(places[:last], ", ") + " or " + places[last]
	}
	return places[0]
}

// Lenient reports whether documents in DocsDir need no front matter.
func (p *Project) Lenient() bool { return p.Config.Documents.Lenient }

// IsDocument reports whether a file is a document. name is its path in DocumentsRoot, with / separators. The
// schemas folder has documents only in a lenient project.
func (p *Project) IsDocument(name string) bool {
	name = path.Join(p.DocumentsRoot(), name)
	below, ok := strings.CutPrefix(name, p.docsDir+"/")
	if !ok {
		return p.places.indexOf(name) >= 0
	}
	return IsMarkdown(name) && copyOrTemplate(name) == "" && (p.Lenient() || !strings.HasPrefix(below, SchemasFolder+"/"))
}

// PruneDocuments reports whether a walk for documents may skip a folder. dir is relative to DocumentsRoot.
func (p *Project) PruneDocuments(dir string) bool {
	dir = path.Join(p.DocumentsRoot(), dir)
	return !contains(p.docsDir, dir) && !contains(dir, p.docsDir) && p.places.prunes(dir)
}

// linkBase returns the folder to which a document's related_docs and wikilinks may be relative. For a document in
// DocsDir this is DocsDir. For other documents it is the first entry of documents.folders, or "." if that entry is a
// pattern or a file.
func (p *Project) linkBase(relPath string) string {
	if contains(p.docsDir, relPath) || len(p.places.list) == 0 { // only rules for assistants are outside docsDir then
		return p.docsDir
	}
	first := p.places.list[0]
	if isPattern(first.pattern) || IsMarkdown(first.pattern) {
		return "."
	}
	return first.pattern
}

// documentsFolder checks documents.folder and returns it in the form of [Project.DocsDir]. The folder may be missing.
// It must not lead out of the repository or to a hidden place, because the server indexes and shows its files. The
// error is a *ConfigError.
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
	case inAny(gitFolders(p.Root), filepath.Join(p.Root, filepath.FromSlash(target))): // git's folder can have any name
		return "", fileError(full, "", contain.ErrHidden)
	case folder != DocsFolder && !info.IsDir():
		return "", wrong("is not a folder")
	}
	return folder, nil
}
