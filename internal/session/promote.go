package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// Promote sets the level of a document: in its file first, which is replaced in
// one step and keeps its mode, then in the index. A crash in between is healed
// by the next sync, since the file says what holds. It returns the document's
// path in the docs folder and the level it had.
func (a *Active) Promote(ctx context.Context, given string, level rag.Level) (name string, previous rag.Level, err error) {
	if a.isExternal(given) {
		return "", "", rag.Errorf(rag.ExternalDocsNotPromotable,
			"%q belongs to the external docs, which have no promotion level; only documents in %s have one",
			given, a.Project.DocsDir()).With("document_path", given)
	}
	if name, err = a.documentName(given, "document_path"); err != nil {
		return "", "", err
	}
	file, err := a.docs.folder.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", notFound(given, a.Project.DocsDir())
	}
	if err != nil {
		return "", "", &rag.Error{Code: rag.FileSystemError, Op: "read " + name, Err: err}
	}
	if previous, err = a.docs.indexer.Level(file); err != nil {
		return "", "", err
	}
	edited, err := markdown.SetPromotionLevel(file.Content, string(level))
	if err != nil {
		return "", "", &rag.Error{Code: rag.SchemaValidationFailed, Op: "edit " + name, Err: err}
	}
	if err := a.docs.folder.Replace(name, edited); err != nil {
		return "", "", &rag.Error{Code: rag.FileSystemError, Op: "write " + name, Err: err}
	}
	after, err := a.docs.folder.Read(name)
	if err != nil {
		return "", "", &rag.Error{Code: rag.FileSystemError, Op: "read " + name, Err: err}
	}
	done, err := a.docs.indexer.Promote(ctx, file, after, level)
	if err == nil && !done {
		_, err = a.IndexFile(ctx, name)
	}
	if err != nil {
		return "", "", fmt.Errorf("the file has the new level, and the index will follow; %w", err)
	}
	return name, previous, nil
}

// isExternal reports whether a path given by a caller leads to a file of the
// external docs.
func (a *Active) isExternal(given string) bool {
	external, ok := a.Project.External()
	if !ok {
		return false
	}
	full := given
	if !filepath.IsAbs(full) {
		full = filepath.Join(a.Project.Root, filepath.FromSlash(given))
	}
	relative, err := filepath.Rel(external.Dir, full)
	if err != nil || relative == ".." || strings.HasPrefix(relative, ".."+string(filepath.Separator)) {
		return false
	}
	if _, err := os.Stat(full); err != nil {
		return false
	}
	return external.Match(path.Clean(filepath.ToSlash(relative)))
}
