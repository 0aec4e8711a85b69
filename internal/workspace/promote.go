package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/watch"
)

// Promote sets the level of a document, first in its file and then in the index. It
// replaces the file in one step and keeps its mode. After a crash in between, the
// next sync corrects the index. Promote returns the document's path in the docs
// folder and its previous level.
func (p *Project) Promote(
	ctx context.Context, given string, level catalog.Level,
) (name string, previous catalog.Level, err error) {
	defer func() { err = p.orExternal(err, given, apierror.ExternalDocsNotPromotable) }()
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
		return "", "", apierror.FileError(fmt.Errorf("edit ./%s: %w", path.Join(p.Definition.DocsDir(), name), err))
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
		return "", "", fmt.Errorf("the file has the new level, and the index will follow: %w", apierror.AsError(err))
	}
	return name, previous, nil
}

// editDocument edits a file of the docs folder, one at a time.
func (p *Project) editDocument(name string, change func(document.File) ([]byte, error)) error {
	p.editing.Lock()
	defer p.editing.Unlock()
	return edit(p.docs.folder, name, change)
}

// orExternal returns err, or an error with the code if err says that there is no document at a path
// given by a caller, and the path is one of the external docs.
func (p *Project) orExternal(err error, given string, code apierror.Code) error {
	if err == nil || !p.isExternal(given) {
		return err
	}
	if failed := apierror.AsError(err).Code; failed != apierror.DocumentNotFound && failed != apierror.InvalidArgument {
		return err
	}
	return apierror.Errorf(code, "%.200q belongs to the external docs, which are indexed by themselves and have no promotion "+
		"level; give only documents in %s", given, p.Definition.DocsDir())
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

// edit replaces the content of a file in the folder by what change makes of it. It
// does so in one step: a reader sees the old or the new content whole, and a crash
// leaves one of the two. The file keeps its mode. If somebody else changes the file
// meanwhile, the edit is repeated, so that no change is lost. edit does not write
// content that stays the same. It returns the error of change as it is, and leaves the
// file alone then.
func edit(folder watch.Folder, name string, change func(before document.File) (content []byte, err error)) error {
	for range indexTries {
		before, err := folder.Read(name)
		if errors.Is(err, document.ErrChanged) {
			continue
		}
		if err != nil {
			return err
		}
		content, err := change(before)
		if err != nil || bytes.Equal(content, before.Content) {
			return err
		}
		if err = replace(folder, name, before, content); !errors.Is(err, document.ErrChanged) {
			return err
		}
	}
	return fmt.Errorf("%s is being changed by others: %w; call again when they are done", name, document.ErrChanged)
}

// replace puts the content in the place of the file at name. The error is
// [document.ErrChanged] if that is no longer the file that was read.
func replace(folder watch.Folder, name string, before document.File, content []byte) (err error) {
	root, err := folder.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	return root.Replace(name, content, func() error {
		current, err := folder.Read(name)
		if err == nil && !bytes.Equal(current.Content, before.Content) {
			err = document.ErrChanged
		}
		return err
	})
}
