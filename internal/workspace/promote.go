package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/watch"
)

// Promote sets the level of a document, first in its file and then in the index. If the server crashes in between,
// the next sync corrects the index. Promote returns the document's path in the docs folder and its previous level.
func (p *Project) Promote(
	ctx context.Context, given string, level catalog.Level,
) (name string, previous catalog.Level, err error) {
	name, err = p.rewrite(ctx, given, "level", func(file document.File) (content []byte, err error) {
		content, previous, err = p.docs.indexer.WithLevel(file, level)
		return content, err
	})
	if err != nil {
		return "", "", p.withHint(ctx, err, given, apierror.ExternalDocsNotPromotable)
	}
	return name, previous, nil
}

// rewrite replaces the content of a document's file by the content that change returns, and then indexes the document.
// It returns the document's path in the docs folder. field is the name of the changed field for error messages. If
// change returns an [apierror.Error], rewrite returns this error unchanged.
func (p *Project) rewrite(
	ctx context.Context, given, field string, change func(before document.File) (content []byte, err error),
) (string, error) {
	name, err := p.documentName(given, "document_path")
	if err != nil {
		return "", err
	}
	if err := p.index.Writable(ctx, p.Tenant, "change the document"); err != nil {
		return "", err // the file is not changed yet
	}
	p.editing.Lock()
	err = edit(p.docs.folder, name, change)
	p.editing.Unlock()
	var refused *apierror.Error
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", p.notFound(given)
	case errors.As(err, &refused):
		return "", err
	case err != nil:
		return "", apierror.FileError(fmt.Errorf("edit ./%s: %w", path.Join(p.docs.folder.Prefix, name), err))
	}
	err = p.indexNewest(ctx, name, path.Join(p.docs.folder.Prefix, name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", p.notFound(given)
	}
	if errors.Is(err, document.ErrChanged) {
		err = nil // others keep changing the file, and the mirror will index it
	}
	if err != nil {
		return "", fmt.Errorf("the file has the new %s, and the index will follow: %w", field, apierror.AsError(err))
	}
	return name, nil
}

// withHint adds a hint to an error about the given path: the document that the caller may have meant, or the folders of
// doc-types. For a path of the external docs it returns an error with the given code instead.
func (p *Project) withHint(ctx context.Context, err error, given string, code apierror.Code) error {
	refused := *apierror.AsError(err)
	switch {
	case refused.Code == apierror.InvalidDocType:
		var folders []string
		for _, docType := range p.Definition.DocTypes() {
			folders = append(folders, fmt.Sprintf("%s (%s)", docType.Folder, docType.Name))
		}
		refused.Err = apierror.Wordf("%w. Folders of doc-types are %s", refused.Err, strings.Join(folders, ", "))
	case refused.Code != apierror.DocumentNotFound && refused.Code != apierror.InvalidArgument:
		return err
	case p.isExternal(given):
		return apierror.Errorf(code, "%.200q belongs to the external docs, which are indexed by themselves and have no promotion "+
			"level; give only documents in %s", given, p.Definition.PlacesText())
	default:
		meant := p.docs.folder.Named(ctx, path.Base(strings.ReplaceAll(given, `\`, "/")))
		if len(meant) == 1 {
			refused.Err = apierror.Wordf("%w. Did you mean ./%s?", refused.Err, meant[0])
		}
	}
	return &refused
}

// isExternal reports whether a path is that of an external document, which may be outside the repository.
func (p *Project) isExternal(given string) bool {
	relative, err := p.inRepository(given)
	if err != nil {
		return false
	}
	return slices.ContainsFunc([]string{relative, given}, func(indexed string) bool {
		_, err := p.Read(indexed)
		return err == nil && !p.IsDocument(path.Clean(indexed))
	})
}

// edit replaces the content of a file by what change returns, in one step; see [contain.Root.Replace]. If somebody else
// changes the file in the meantime, edit tries again, so that no change is lost. It does not write equal content.
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
		if err := replace(folder, name, before.Content, content); !errors.Is(err, contain.ErrChanged) {
			return err
		}
	}
	return fmt.Errorf("%s is being changed by others: %w; call again when they are done", name, document.ErrChanged)
}

// replace replaces a file's content. The error is [contain.ErrChanged] if old is not the present content.
func replace(folder watch.Folder, name string, old, content []byte) error {
	root, err := folder.Open()
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	return root.Replace(name, old, content)
}
