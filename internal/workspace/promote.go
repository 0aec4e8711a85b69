package workspace

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"

	"github.com/compound-docs/compound-docs/internal/document"
)

// Promote sets the level of a document, first in its file and then in the index. It
// replaces the file in one step and keeps its mode. After a crash in between, the
// next sync corrects the index. Promote returns the document's path in the docs
// folder and its previous level.
func (p *Project) Promote(
	ctx context.Context, given string, level catalog.Level,
) (name string, previous catalog.Level, err error) {
	if name, previous, err = p.promote(ctx, given, level); err == nil {
		return name, previous, nil
	}
	if isMissing(err) && p.isExternal(given) {
		err = apierror.Errorf(apierror.ExternalDocsNotPromotable,
			"%.200q belongs to the external docs, which have no promotion level; only documents in %s have one",
			given, p.Definition.DocsDir())
	}
	return "", "", err
}

func (p *Project) promote(
	ctx context.Context, given string, level catalog.Level,
) (name string, previous catalog.Level, err error) {
	if name, err = p.documentName(given, "document_path"); err != nil {
		return "", "", err
	}
	if err := p.Tenant.Writable("change the promotion level"); err != nil {
		return "", "", err // before the file is changed
	}
	err = p.editDocument(name, func(file document.File) (content []byte, err error) {
		content, previous, err = p.docs.indexer.WithLevel(file, level)
		return content, err
	})
	var refused *apierror.Error
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", "", p.notFound(given)
	case errors.As(err, &refused):
		return "", "", err
	case err != nil:
		return "", "", apierror.FileError("edit ./"+path.Join(p.Definition.DocsDir(), name), err)
	}
	// Its passages are those of before, but for the lines where they stand, and keep their vectors.
	err = p.indexNewest(ctx, name, path.Join(p.Definition.DocsDir(), name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", p.notFound(given)
	}
	if errors.Is(err, document.ErrChanged) {
		// Others keep changing the file. It had the new level, and its newest
		// version is indexed like any other edit.
		err = nil
	}
	if err != nil {
		reason := apierror.AsError(err)
		return "", "", &apierror.Error{
			Code: reason.Code, Op: "the file has the new level, and the index will follow", Err: reason, Details: reason.Details,
		}
	}
	return name, previous, nil
}

// editDocument edits a file of the docs folder, one at a time.
func (p *Project) editDocument(name string, change func(document.File) ([]byte, error)) error {
	p.editing.Lock()
	defer p.editing.Unlock()
	return edit(p.docs.folder, name, change)
}

// isMissing reports whether a path given by a caller is none of a document.
func isMissing(err error) bool {
	code := apierror.AsError(err).Code
	return code == apierror.DocumentNotFound || code == apierror.InvalidArgument
}

// isExternal reports whether a path given by a caller leads to a file of the
// external docs.
func (p *Project) isExternal(given string) bool {
	external, ok := p.Definition.External()
	if !ok {
		return false
	}
	full := filepath.FromSlash(given)
	if !filepath.IsAbs(full) {
		full = filepath.Join(p.Definition.Root, full)
	}
	full, err := filepath.EvalSymlinks(full)
	if err != nil {
		return false
	}
	relative, err := filepath.Rel(external.Dir, full)
	return err == nil && filepath.IsLocal(relative) && external.Match(filepath.ToSlash(relative))
}
