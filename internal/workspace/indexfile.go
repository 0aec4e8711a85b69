package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/hooks/trigger"
	"github.com/compound-docs/compound-docs/internal/ownruns"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
)

// indexTries is how often the server tries to index or edit a file that others change at the same time.
const indexTries = 5

// Indexed is the result of [Project.IndexFile].
type Indexed struct {
	// Path is the document's path in the index.
	Path string
	// Unembedded says why the model's vectors are missing, or is nil. Until the document gets these vectors, searches find
	// it by words and built-in vectors.
	Unembedded *apierror.Error
}

// IndexFile indexes one document at once, with its vectors if there is a model server. given may be relative to the
// repository or to the docs folder. If the file is gone, IndexFile removes the document from the index and fails.
func (p *Project) IndexFile(ctx context.Context, given string) (Indexed, error) {
	name, err := p.documentName(given, "path")
	if err != nil {
		return Indexed{}, p.withHint(ctx, err, given, apierror.InvalidArgument)
	}
	if err := p.index.Writable(ctx, p.Tenant, "index the document"); err != nil {
		return Indexed{}, err
	}
	indexed := Indexed{Path: path.Join(p.docs.folder.Prefix, name)}
	err = p.indexNewest(ctx, name, indexed.Path)
	if errors.Is(err, fs.ErrNotExist) {
		err = p.notFound(given)
	}
	if err != nil {
		return Indexed{}, p.withHint(ctx, err, given, apierror.InvalidArgument)
	}
	if err := p.queue.EmbedDocument(ctx, catalog.Compounding, indexed.Path); err != nil {
		refused := apierror.AsError(err)
		if refused.Code != apierror.EmbeddingServiceError {
			return Indexed{}, refused
		}
		indexed.Unembedded = refused
	}
	return indexed, nil
}

// Understood returns how the server reads an indexed document: advice about its front matter, its triggers, and doubts
// about the triggers. All three are nil if the document can no longer be read.
func (p *Project) Understood(indexed string) (advice []project.Violation, triggers, doubts []string) {
	file, err := p.Read(indexed)
	if err != nil {
		return nil, nil, nil // the file is gone, and the index will follow
	}
	d, err := index.Dissect(file, catalog.Compounding, p.Definition)
	if err != nil {
		return nil, nil, nil // the document cannot be indexed, and IndexFile has said why
	}
	for _, fault := range d.TriggerFaults {
		doubts = append(doubts, fault.String())
	}
	for _, t := range d.Triggers {
		triggers = append(triggers, t.String())
	}
	doubts = append(doubts, trigger.Doubts(d.Triggers, ownruns.Read(p.Definition.Root))...)
	return d.Advice(p.Definition), triggers, doubts
}

// indexNewest puts the newest text of a document into the index. If the file is gone, it removes the document and fails
// with [fs.ErrNotExist].
func (p *Project) indexNewest(ctx context.Context, name, indexed string) error {
	for range indexTries {
		file, err := p.docs.folder.Read(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			removing := p.docs.indexer.Remove(ctx, []string{indexed})
			if removing != nil || len(p.docs.folder.Present([]string{indexed})) == 0 {
				return cmp.Or(removing, err)
			}
			continue
		case errors.Is(err, document.ErrChanged):
			continue
		case err != nil:
			return apierror.FileError(fmt.Errorf("read ./%s: %w", indexed, err))
		}
		failures, err := p.docs.indexer.Index(ctx, []document.File{file})
		if err != nil || len(failures) == 0 {
			return err
		}
		if !errors.Is(failures[0].Err, document.ErrChanged) {
			return failures[0].Err
		}
	}
	return apierror.FileError(fmt.Errorf(
		"index ./%s: %w, %d times; call again when nobody writes to it", indexed, document.ErrChanged, indexTries))
}

// documentName returns a document's path in the folder of the documents. given may be absolute, or relative to the
// repository or to DocsDir. If both are possible, the path of an existing file counts. The file may be missing. Errors
// name the tool's parameter.
func (p *Project) documentName(given, parameter string) (string, error) {
	name, err := p.cleanPath(given)
	if err != nil {
		return "", p.notFound(given)
	}
	if name == ".." || strings.HasPrefix(name, "../") || path.IsAbs(name) || strings.ContainsRune(name, 0) {
		return "", apierror.Refuse(parameter, "%.200q leads out of the repository; give one such as %s", given, p.examplePath())
	}
	folder := p.docs.folder
	var possible []string
	for _, indexed := range []string{name, path.Join(p.Definition.DocsDir(), name)} {
		inFolder, ok := folder.Name(indexed)
		if !ok || !folder.Covers(inFolder) {
			continue
		}
		if len(folder.Present([]string{indexed})) > 0 {
			return inFolder, nil
		}
		possible = append(possible, inFolder)
	}
	if why := project.LeftOut(name); why != "" && project.IsMarkdown(name) && p.Definition.Holds(name) {
		return "", apierror.Refuse(parameter, "%.200q is left out because of its name (%s); rename it", given, why)
	}
	if len(possible) > 0 {
		return possible[0], nil
	}
	return "", apierror.Refuse(parameter, "%.200q is not a markdown document in %s; give one such as %s",
		given, p.Definition.PlacesText(), p.examplePath())
}

// cleanPath returns a given path in the form of the index: relative to the repository, with / and in Unicode form NFC.
// A client on Windows may send \ to a server in WSL or in a container.
func (p *Project) cleanPath(given string) (string, error) {
	name, err := p.inRepository(given)
	return path.Clean(norm.NFC.String(strings.ReplaceAll(name, `\`, "/"))), err
}

// inRepository makes an absolute path relative to the repository. It leaves a relative path as it is.
func (p *Project) inRepository(given string) (string, error) {
	if !filepath.IsAbs(given) {
		return filepath.ToSlash(given), nil
	}
	// The project's root has no symbolic links, but the given path may.
	dir, err := filepath.EvalSymlinks(filepath.Dir(given))
	if err != nil {
		return "", err
	}
	relative, err := filepath.Rel(p.Definition.Root, filepath.Join(dir, filepath.Base(given)))
	return filepath.ToSlash(relative), err
}

func (p *Project) notFound(given string) *apierror.Error {
	return apierror.Errorf(apierror.DocumentNotFound, "there is no document %.200q; give its path in %s, such as %s",
		given, p.Definition.PlacesText(), p.examplePath())
}

func (p *Project) examplePath() string {
	folder := "problems"
	if p.Definition.Lenient() {
		folder = ""
	}
	return "./" + path.Join(p.Definition.DocsDir(), folder, "example.md")
}

// Read returns a document as it is on disk. given is its path in the index: relative to the repository, or absolute for
// external docs outside. The error is DOCUMENT_NOT_FOUND if no folder of documents has such a file.
func (p *Project) Read(given string) (document.File, error) {
	clean := path.Clean(norm.NFC.String(filepath.ToSlash(given)))
	for _, tree := range p.trees {
		name, ok := tree.folder.Name(clean)
		if !ok || !tree.folder.Covers(name) {
			continue
		}
		file, err := tree.folder.Read(name)
		switch {
		case err == nil:
			return file, nil
		case !errors.Is(err, fs.ErrNotExist):
			return document.File{}, apierror.FileError(fmt.Errorf("read %s: %w", clean, err))
		}
	}
	return document.File{}, p.notFound(given)
}

// IsDocument reports whether a path belongs to the project's own documents. The file may be missing.
func (p *Project) IsDocument(indexed string) bool {
	return slices.ContainsFunc(p.trees, func(t tree) bool {
		name, ok := t.folder.Name(indexed)
		return ok && t.collection == catalog.Compounding && t.folder.Covers(name)
	})
}
