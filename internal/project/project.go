// Package project reads what a repository says about itself: its configuration, its doc-types and their schemas, the
// folder of external docs, the identity of its checkout, and its git branch.
//
// It must not know a database, a model or the network. The repository may be hostile: the package limits the size of
// the files that it reads, follows no path out of the repository, and lets no schema load another file or take long to
// check.
package project

import (
	"crypto/sha256"
	"fmt"
	"path"
	"path/filepath"
	"reflect"
	"slices"
)

const (
	// ConfigDir is the folder of the configuration, at the root of a repository.
	ConfigDir = ".csharp-compounding-docs"
	// ConfigFile is the name of the configuration in ConfigDir.
	ConfigFile = "config.json"
	// DocsFolder is the default folder of the documents.
	DocsFolder = "csharp-compounding-docs"
	// SchemasFolder is the folder of schema files, in the folder of the documents. No doc-type may use it for documents.
	SchemasFolder = "schemas"
)

// Project is a repository with a valid configuration. It is immutable and safe for concurrent use. After a change of
// the configuration or of a schema, call [Load] again.
type Project struct {
	Root       string // absolute path of the repository, without symbolic links
	ConfigPath string // absolute path of config.json
	Config     Config // with defaults applied

	docsDir  string
	places   places // places of documents besides docsDir
	types    []DocType
	external *External

	ruleFolders []string
}

// Load reads and validates a project's configuration and its schemas. configPath is the absolute path of config.json,
// its folder, or the repository. externalAllowed is [Settings.ExternalDocsAllowed]. The error is a *[ConfigError].
func Load(configPath string, externalAllowed ...string) (*Project, error) {
	root, err := locate(configPath)
	if err != nil {
		return nil, err
	}
	p := &Project{Root: root, ConfigPath: configFile(root)}
	p.Config, err = loadConfig(root)
	if err != nil {
		return nil, err
	}
	p.docsDir, err = p.documentsFolder()
	if err != nil {
		return nil, err
	}
	p.places, err = p.loadPlaces()
	if err != nil {
		return nil, err
	}
	p.types, err = p.loadDocTypes()
	if err != nil {
		return nil, err
	}
	p.external, err = p.loadExternal(externalAllowed)
	if err != nil {
		return nil, err
	}
	if err := p.besideExternal(); err != nil {
		return nil, err
	}
	p.ruleFolders = p.findRuleFolders()
	return p, nil
}

// Same reports whether two projects of one repository have the same configuration, schemas and folders.
func (p *Project) Same(other *Project) bool {
	schemas := func(a, b DocType) bool { return a.SchemaHash == b.SchemaHash }
	return p.Root == other.Root && reflect.DeepEqual(p.Config, other.Config) &&
		slices.EqualFunc(p.types, other.types, schemas) && reflect.DeepEqual(p.external, other.external) &&
		slices.Equal(p.ruleFolders, other.ruleFolders)
}

// DocTypes returns the built-in doc-types in their usual order, then the custom doc-types in the order of the
// configuration. The caller may change the slice.
func (p *Project) DocTypes() []DocType { return slices.Clone(p.types) }

// DocType returns the doc-type called name, or false if the project has no such doc-type.
func (p *Project) DocType(name string) (DocType, bool) {
	i := slices.IndexFunc(p.types, func(t DocType) bool { return t.Name == name })
	if i < 0 {
		return DocType{}, false
	}
	return p.types[i], true
}

// External returns the folder of external docs, or false if the project has none.
func (p *Project) External() (External, bool) {
	if p.external == nil {
		return External{}, false
	}
	return *p.external, true
}

// PathHash returns an identifier of the checkout at root: the first 16 hexadecimal digits of the SHA-256 of the path,
// with / separators and no trailing slash.
func PathHash(root string) string {
	return fmt.Sprintf("%.8x", sha256.Sum256([]byte(path.Clean(filepath.ToSlash(root)))))
}
