package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/apierror"
)

// Retired is the result of [Project.Retire]. Path is the retired document. The field By is the successor, or "" without
// a successor. Both paths are relative to the repository.
type Retired struct {
	Path, By string
	// Status is what the front matter says now.
	Status string
}

// Retire marks the given document as superseded by successor. If successor is "", it marks the document as deprecated.
// It changes the file and then indexes the document. The path successor is relative to the repository or to the folder
// of the retired document.
func (p *Project) Retire(ctx context.Context, given, successor string) (Retired, error) {
	name, err := p.documentName(given, "document_path")
	if err != nil {
		return Retired{}, err
	}
	retired := Retired{Path: path.Join(p.docs.folder.Prefix, name)}
	if successor != "" {
		retired.By, err = p.successor(successor, path.Dir(retired.Path))
		if err != nil {
			return Retired{}, err
		}
	}
	if retired.By == retired.Path {
		return Retired{}, apierror.Refuse("by", "%.200q is the document itself; give the one that replaces it", successor)
	}
	_, err = p.rewrite(ctx, given, "status", func(file document.File) (content []byte, err error) {
		content, retired.Status, err = p.docs.indexer.WithStatus(file, retired.By)
		return content, err
	})
	if err != nil {
		return Retired{}, err
	}
	return retired, nil
}

// successor returns an existing document's path in the repository. given is relative to the repository or to dir.
func (p *Project) successor(given, dir string) (string, error) {
	candidates := []string{given}
	if !filepath.IsAbs(given) {
		candidates = append(candidates, path.Join(dir, filepath.ToSlash(given)))
	}
	for _, candidate := range candidates {
		name, err := p.documentName(candidate, "by")
		if err != nil {
			continue
		}
		_, err = p.docs.folder.Read(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return "", apierror.FileError(fmt.Errorf("read ./%s: %w", path.Join(p.docs.folder.Prefix, name), err))
		default:
			return path.Join(p.docs.folder.Prefix, name), nil
		}
	}
	return "", p.notFound(given)
}
