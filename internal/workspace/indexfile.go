package workspace

import (
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

// indexTries bounds the tries for a file that changes while it is indexed or edited.
const indexTries = 5

// Indexed is a document that was just indexed.
type Indexed struct {
	// Path is that in the index.
	Path string
	// Unembedded is why its vectors of the model follow later, nil if it has them. Words and built-in vectors
	// find it until then.
	Unembedded *apierror.Error
}

// IndexFile indexes one document now, with its vectors if there is a model server. given may be
// relative to the repository or to the docs folder. If the file changes or disappears, the index has its
// newest state.
func (p *Project) IndexFile(ctx context.Context, given string) (Indexed, error) {
	indexed, err := p.indexGiven(ctx, given)
	if err != nil {
		return Indexed{}, p.withHint(ctx, err, given, apierror.InvalidArgument)
	}
	return indexed, nil
}

func (p *Project) indexGiven(ctx context.Context, given string) (Indexed, error) {
	name, err := p.documentName(given, "path")
	if err != nil {
		return Indexed{}, err
	}
	if err := p.index.Writable(ctx, p.Tenant, "index the document"); err != nil {
		return Indexed{}, err
	}
	indexed := Indexed{Path: path.Join(p.docs.folder.Prefix, name)}
	err = p.indexNewest(ctx, name, indexed.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return Indexed{}, p.notFound(given)
	}
	if err != nil {
		return Indexed{}, err
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

// Understood returns how an indexed document is read: what is wrong with it in a lenient project, its triggers, and
// what is doubtful about these.
func (p *Project) Understood(indexed string) (advice []project.Violation, triggers, doubts []string) {
	file, err := p.Read(indexed)
	if err != nil {
		return nil, nil, nil // it is gone, and the index follows
	}
	d, err := index.Dissect(file, catalog.Compounding, p.Definition)
	if err != nil {
		return nil, nil, nil // it is not indexed, and the call has said why
	}
	for _, fault := range d.TriggerFaults {
		doubts = append(doubts, fault.String())
	}
	for _, t := range d.Triggers {
		triggers = append(triggers, t.String())
	}
	for _, doubt := range trigger.Doubts(d.Triggers, ownruns.Read(p.Definition.Root)) {
		doubts = append(doubts, doubt.String())
	}
	return d.Advice(p.Definition), triggers, doubts
}

// indexNewest puts the newest text of a document into the index. The error is [fs.ErrNotExist] if there
// is no file.
func (p *Project) indexNewest(ctx context.Context, name, indexed string) error {
	for range indexTries {
		if err := p.indexFile(ctx, name, indexed); !errors.Is(err, document.ErrChanged) {
			return err
		}
	}
	return apierror.FileError(fmt.Errorf(
		"index ./%s: %w, %d times; call again when nobody writes to it", indexed, document.ErrChanged, indexTries))
}

// indexFile is one try of indexNewest. The error is also [document.ErrChanged].
func (p *Project) indexFile(ctx context.Context, name, indexed string) error {
	file, err := p.docs.folder.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		if err := p.docs.indexer.Remove(ctx, []string{indexed}); err != nil {
			return err
		}
		if len(p.docs.folder.Present([]string{indexed})) > 0 {
			return document.ErrChanged
		}
		return err
	}
	if errors.Is(err, document.ErrChanged) {
		return err
	}
	if err != nil {
		return apierror.FileError(fmt.Errorf("read ./%s: %w", indexed, err))
	}
	failures, err := p.docs.indexer.Index(ctx, []document.File{file})
	if err != nil {
		return err
	}
	for _, failure := range failures {
		return failure.Err
	}
	return nil
}

// documentName returns the document's path in the folder of the documents. given may be relative to the
// repository or to DocsDir. Errors name the tool's parameter.
func (p *Project) documentName(given, parameter string) (string, error) {
	name, err := p.cleanPath(given)
	if err != nil {
		return "", p.notFound(given)
	}
	if name == ".." || strings.HasPrefix(name, "../") || path.IsAbs(name) || strings.ContainsRune(name, 0) {
		return "", apierror.Refuse(parameter, "%.200q leads out of the repository; give one such as %s", given, p.examplePath())
	}
	folder := p.docs.folder
	for _, indexed := range []string{name, path.Join(p.Definition.DocsDir(), name)} {
		if inFolder, ok := folder.Name(indexed); ok && folder.Covers(inFolder) {
			return inFolder, nil
		}
	}
	if why := project.LeftOut(name); why != "" && project.IsMarkdown(name) && p.Definition.Holds(name) {
		return "", apierror.Refuse(parameter, "%.200q is left out because of its name (%s); rename it", given, why)
	}
	return "", apierror.Refuse(parameter, "%.200q is not a markdown document in %s; give one such as %s",
		given, p.Definition.PlacesText(), p.examplePath())
}

// cleanPath is [Project.inRepository] with the signs and the form of letters that paths of the index have. A client on
// Windows may write \ to a server in WSL or in a container.
func (p *Project) cleanPath(given string) (string, error) {
	name, err := p.inRepository(given)
	return path.Clean(norm.NFC.String(strings.ReplaceAll(name, `\`, "/"))), err
}

// inRepository returns an absolute path relative to the repository, and any other path as it is.
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

// examplePath returns a path as an example for messages.
func (p *Project) examplePath() string {
	folder := "problems"
	if p.Definition.Lenient() {
		folder = ""
	}
	return "./" + path.Join(p.Definition.DocsDir(), folder, "example.md")
}

// Read returns a document as it is on disk, by its path in the index: relative to the repository, or
// absolute for external docs outside it. Paths outside both folders are DOCUMENT_NOT_FOUND, whether or
// not there is a file.
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

// IsDocument reports whether a path of the repository is that of a document of the project's own, whether or
// not there is a file.
func (p *Project) IsDocument(indexed string) bool {
	return slices.ContainsFunc(p.trees, func(t tree) bool {
		name, ok := t.folder.Name(indexed)
		return ok && t.collection == catalog.Compounding && t.folder.Covers(name)
	})
}
