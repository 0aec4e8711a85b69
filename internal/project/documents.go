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

// DocsDir returns the folder of the documents, relative to Root, with / separators and no "./".
func (p *Project) DocsDir() string { return p.docsDir }

// Lenient reports whether documents need no front matter.
func (p *Project) Lenient() bool { return p.Config.Documents.Lenient }

// IsDocument reports whether a file is a document. name is its path in the folder of the documents,
// with / separators. Schemas have a folder of their own there, in which no file is a document,
// unless the project is lenient: its folder may have had other uses before.
func (p *Project) IsDocument(name string) bool {
	return strings.EqualFold(path.Ext(name), ".md") && (p.Lenient() || !strings.HasPrefix(name, SchemasFolder+"/"))
}

// PruneDocuments reports whether a folder in that of the documents has none, so that a walk may skip
// it.
func (p *Project) PruneDocuments(dir string) bool {
	return p.Lenient() && path.Base(dir) == "node_modules"
}

// DocumentsFolder checks documents.folder as a configuration of the repository at root writes it,
// and returns it as [Project.DocsDir] has it. The folder may be missing. It must not lead out of
// the repository, nor to something hidden, because its files are indexed and shown. root has no
// symlink in it. The error is a *[ConfigError].
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
	if err := checkDocsFolder(root, folder); err != nil {
		return "", err
	}
	if info, err := os.Stat(filepath.Join(root, filepath.FromSlash(folder))); folder != DocsFolder && err == nil && !info.IsDir() {
		return "", wrong("is not a folder")
	}
	return folder, nil
}

// checkDocsFolder returns an error if the folder of documents is a link to where no documents may
// be. It may be missing. Whether it is a folder is checked when it is walked.
func checkDocsFolder(root, folder string) error {
	target, err := resolveInside(root, filepath.FromSlash(folder))
	if err == nil && isGit(root, target) {
		err = contain.ErrHidden
	}
	if err == nil && target == "." {
		err = errRepository
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	e := fileError(filepath.Join(root, filepath.FromSlash(folder)), "", err)
	switch {
	case errors.Is(err, contain.ErrEscapes):
		e.Problem = "is a link that leads out of the repository"
		e.Hint = "Keep the documents in the repository; a folder elsewhere can be searched as external_docs."
	case errors.Is(err, contain.ErrHidden):
		e.Problem = "is a link to a hidden folder"
		e.Hint = "Hidden folders are not indexed: keep the documents in the folder itself."
	case errors.Is(err, errRepository):
		e.Problem = "is a link to the repository itself"
		e.Hint = "Keep the documents in a folder of their own."
	}
	return e
}

// errRepository reports a folder of documents that would hold the whole repository.
var errRepository = errors.New("leads to the repository itself")

// isGit reports whether a path relative to root is in one of git's folders, which need not be hidden.
func isGit(root, target string) bool {
	return slices.ContainsFunc(gitFolders(root), func(folder string) bool {
		return isInside(folder, filepath.Join(root, target))
	})
}
