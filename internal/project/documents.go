package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/contain"
)

// DocsDir returns the folder of the documents, relative to Root, with / separators and without "./".
func (p *Project) DocsDir() string { return p.docsDir }

// Lenient reports whether documents need no front matter.
func (p *Project) Lenient() bool { return p.Config.Documents.Lenient }

// IsDocument reports whether a file is a document. name is its path in the folder of the documents, with /
// separators. The schemas folder has documents only in a lenient project.
func (p *Project) IsDocument(name string) bool {
	return strings.EqualFold(path.Ext(name), ".md") && (p.Lenient() || !strings.HasPrefix(name, SchemasFolder+"/"))
}

// PruneDocuments reports whether a walk for documents may skip a folder.
func (p *Project) PruneDocuments(dir string) bool {
	return p.Lenient() && path.Base(dir) == "node_modules"
}

// DocumentsFolder checks documents.folder of a configuration, and returns it as [Project.DocsDir]. The
// folder may be missing. It must not lead out of the repository or to something hidden, because its files
// are indexed and shown. root is a path without symbolic links. The error is a *[ConfigError].
func DocumentsFolder(root, configured string) (string, error) {
	wrong := func(problem string) error {
		return &ConfigError{
			Path: filepath.Join(root, ConfigDir, ConfigFile), Key: "documents.folder",
			Problem: fmt.Sprintf("is %q, which %s", configured, problem),
			Hint:    `Name a folder of the repository, for example "folder": "docs/solutions".`,
		}
	}
	folder := path.Clean(configured)
	if problem := folderProblem(configured, "the repository"); problem != "" {
		return "", wrong(problem)
	}
	if folder == "." {
		return "", wrong("is the repository itself")
	}
	full := filepath.Join(root, filepath.FromSlash(folder))
	target, err := resolveInside(root, filepath.FromSlash(folder))
	switch {
	case err == nil && target == ".":
		return "", wrong("leads to the repository itself")
	case err == nil && isGit(root, target):
		err = contain.ErrHidden
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fileError(full, "", err)
	}
	if info, err := os.Stat(full); folder != DocsFolder && err == nil && !info.IsDir() {
		return "", wrong("is not a folder")
	}
	return folder, nil
}

// isGit reports whether a path relative to root is in a git folder, which may be visible.
func isGit(root, target string) bool {
	return slices.ContainsFunc(gitFolders(root), func(folder string) bool {
		return isInside(folder, filepath.Join(root, target))
	})
}
