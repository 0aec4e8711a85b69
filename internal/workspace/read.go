package workspace

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/compound-docs/compound-docs/rag/apierror"

	"github.com/compound-docs/compound-docs/internal/document"
)

// Read returns a document as it is on disk, by its path in the index: relative
// to the repository, or absolute for external docs outside it. It reads only
// documents of the docs folder and of the external docs. Any other path is
// DOCUMENT_NOT_FOUND, whether or not there is a file.
func (p *Project) Read(given string) (document.File, error) {
	clean := path.Clean(filepath.ToSlash(given))
	for _, tree := range p.trees {
		name, ok := below(tree.folder.Prefix, clean)
		if !ok || !tree.folder.Covers(name) {
			continue
		}
		file, err := tree.folder.Read(name)
		switch {
		case err == nil:
			return file, nil
		case !errors.Is(err, fs.ErrNotExist):
			return document.File{}, apierror.FileError("read "+clean, err)
		}
	}
	return document.File{}, p.notFound(given)
}

// below returns a path of the index relative to the folder with the prefix.
func below(prefix, indexed string) (name string, ok bool) {
	name, ok = indexed, true
	if prefix != "" {
		name, ok = strings.CutPrefix(indexed, prefix+"/")
	}
	return name, ok && fs.ValidPath(name) && !strings.ContainsRune(name, 0)
}
