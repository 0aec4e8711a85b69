// Package project knows what a repository says about itself: its configuration, the doc-types of
// its documents and the schemas of their front matter, the folder of external documentation, the
// identity of its checkout and the git branch that is checked out there.
//
// It reads files only: it must not know a database, a model, the network or a git process. The files
// come with a repository that may be hostile: their size is bounded, no path leads out of the
// repository, and no schema can load another file or take long to check.
package project

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// ConfigDir is the folder of the configuration, at the root of a repository.
	ConfigDir = ".csharp-compounding-docs"
	// ConfigFile is the name of the configuration in ConfigDir.
	ConfigFile = "config.json"
	// DocsFolder is the folder of the documents, at the root of a repository.
	DocsFolder = "csharp-compounding-docs"
	// SchemasFolder is the folder in DocsFolder where schemas are kept; no doc-type may have it.
	SchemasFolder = "schemas"
)

// Project is a repository with a valid configuration. It is immutable: load it again when the
// configuration or a schema has changed. It is safe for concurrent use.
type Project struct {
	// Root is the absolute path of the repository, with symlinks resolved.
	Root string
	// ConfigPath is the absolute path of config.json.
	ConfigPath string
	// Config holds the configuration with defaults applied.
	Config Config

	types    []DocType
	external *External
}

// Load reads and validates a project's configuration and the schemas that it names. configPath is
// absolute and names config.json, the folder .csharp-compounding-docs, or the root of the
// repository. externalAllowed lists the folders outside the repository that the user lets a project
// have as external_docs.path ([Settings.ExternalDocsAllowed]). The error is a *[ConfigError].
func Load(configPath string, externalAllowed ...string) (*Project, error) {
	root, file, err := locate(configPath)
	if err != nil {
		return nil, err
	}
	p := &Project{Root: root, ConfigPath: file}
	if p.Config, err = loadConfig(root); err != nil {
		return nil, err
	}
	if err = p.checkDocsFolder(); err != nil {
		return nil, err
	}
	if p.types, err = p.loadDocTypes(); err != nil {
		return nil, err
	}
	if p.external, err = p.loadExternal(externalAllowed); err != nil {
		return nil, err
	}
	return p, nil
}

// DocsDir returns the folder of the documents, relative to Root.
func (p *Project) DocsDir() string { return DocsFolder }

// DocTypes returns the built-in doc-types in their usual order, then the custom ones in the order
// of the configuration. The caller may change the slice.
func (p *Project) DocTypes() []DocType { return slices.Clone(p.types) }

// DocType returns the doc-type with a name.
func (p *Project) DocType(name string) (DocType, bool) {
	i := slices.IndexFunc(p.types, func(t DocType) bool { return t.Name == name })
	if i < 0 {
		return DocType{}, false
	}
	return p.types[i], true
}

// DocTypeOf returns the doc-type in whose folder a file is. relPath is relative to Root with /
// separators, and may begin with "./". A file that is in no doc-type's folder, such as a schema,
// has none.
func (p *Project) DocTypeOf(relPath string) (DocType, bool) {
	below, ok := strings.CutPrefix(path.Clean(relPath), DocsFolder+"/")
	if !ok {
		return DocType{}, false
	}
	for _, t := range p.types {
		if strings.HasPrefix(below, t.Folder+"/") {
			return t, true
		}
	}
	return DocType{}, false
}

// External returns the folder of external documentation, and false when none is configured.
func (p *Project) External() (External, bool) {
	if p.external == nil {
		return External{}, false
	}
	return *p.external, true
}

// checkDocsFolder returns an error if the folder of documents is a link out of the repository or to
// a hidden folder, because its files would be indexed and shown. It may be missing. Whether it is a
// folder is checked when it is walked.
func (p *Project) checkDocsFolder() error {
	target, err := resolveInside(p.Root, DocsFolder)
	if err == nil && isHidden(target) {
		err = errHidden
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	e := fileError(filepath.Join(p.Root, DocsFolder), "", err)
	switch {
	case errors.Is(err, errLeaves):
		e.Problem = "is a link that leads out of the repository"
		e.Hint = "Keep the documents in the repository; a folder elsewhere can be searched as external_docs."
	case errors.Is(err, errHidden):
		e.Problem = "is a link to a hidden folder"
		e.Hint = "Hidden folders are not indexed: keep the documents in the folder itself."
	}
	return e
}
