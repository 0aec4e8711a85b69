package project

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/project/jsonschema"
)

// loadDocTypes returns the built-in doc-types, then those of the configuration. A mistake there is a *ConfigError.
func (p *Project) loadDocTypes() ([]DocType, error) {
	types := builtInTypes()
	for i, c := range p.Config.CustomDocTypes {
		key := fmt.Sprintf("custom_doc_types[%d]", i)
		t := DocType{Name: c.Name, Description: c.Description, Schema: c.SchemaFile, Custom: true}
		var err error
		t.Folder, err = p.customFolder(key+".folder", c.Folder)
		if err != nil {
			return nil, err
		}
		if err := p.checkCollision(key, t, types); err != nil {
			return nil, err
		}
		if err := p.loadSchema(key+".schema_file", &t); err != nil {
			return nil, err
		}
		types = append(types, t)
	}
	return types, nil
}

// customFolder checks the folder of a custom doc-type and returns it in the form of [DocType.Folder].
func (p *Project) customFolder(key, configured string) (string, error) {
	wrong := func(problem string) error {
		return p.configError(key, fmt.Sprintf("is %q, which %s", configured, problem),
			fmt.Sprintf(`Name a folder inside %s, for example "folder": "api-contracts".`, p.docsDir))
	}
	folder := path.Clean(configured)
	if problem := folderProblem(configured, p.docsDir); problem != "" {
		return "", wrong(problem)
	}
	switch {
	case folder == ".":
		return "", wrong("is the folder of all documents")
	case overlaps(folder, SchemasFolder):
		return "", wrong("is kept for schemas")
	}
	_, _, err := resolveInside(p.Root, path.Join(p.docsDir, folder))
	if errors.Is(err, contain.ErrEscapes) || errors.Is(err, contain.ErrHidden) {
		return "", wrong(fileError(folder, "", err).Problem)
	}
	return folder, nil
}

// folderProblem says why a configured path cannot be a folder of documents inside parent. "" means no problem.
func folderProblem(configured, parent string) string {
	folder := path.Clean(configured)
	switch {
	case path.IsAbs(configured) || filepath.IsAbs(configured):
		return "is an absolute path"
	case !isPortable(configured):
		return "has a character that not every system allows in a folder's name"
	case folder == ".." || strings.HasPrefix(folder, "../"):
		return "leads out of " + parent
	case contain.Hidden(folder):
		return "is hidden, and hidden files are not indexed"
	}
	return ""
}

// isPortable reports whether every system allows the characters of a folder's path.
func isPortable(folder string) bool {
	return !strings.ContainsFunc(folder, func(r rune) bool { return strings.ContainsRune(`\:*?"<>|`, r) || unicode.IsControl(r) })
}

// checkCollision returns an error if another doc-type has the name or an overlapping folder.
func (p *Project) checkCollision(key string, t DocType, others []DocType) error {
	for _, o := range others {
		kind := "custom"
		if !o.Custom {
			kind = "built-in"
		}
		if strings.EqualFold(t.Name, o.Name) {
			return p.configError(key+".name", fmt.Sprintf("is %q, the name of a %s doc-type", t.Name, kind),
				`Choose another name, for example "name": "api-contract".`)
		}
		if overlaps(t.Folder, o.Folder) {
			return p.configError(key+".folder",
				fmt.Sprintf("is %q, which overlaps the folder %q of the %s doc-type %s", t.Folder, o.Folder, kind, o.Name),
				`Give every doc-type a folder of its own, for example "folder": "api-contracts".`)
		}
	}
	return nil
}

// overlaps reports whether two folders are equal or one is inside the other. Like some file systems, it ignores case.
func overlaps(a, b string) bool {
	a, b = strings.ToLower(a)+"/", strings.ToLower(b)+"/"
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}

// loadSchema sets the schemas and the fingerprint of a custom doc-type. Without a schema_file, title is required and
// the common fields are checked. With a schema_file, only two common fields are still checked: promotion_level, which
// the server writes, and questions, which searches read.
func (p *Project) loadSchema(key string, t *DocType) error {
	if t.Schema == "" {
		own := embeddedSchema("schemas/common.json", "/$defs/custom")
		t.schemas, t.SchemaHash = []lazySchema{own}, fingerprint(commonSchema, []byte(t.Name), nil)
		return nil
	}
	data, own, err := p.readSchema(key, t.Schema)
	if err != nil {
		return err
	}
	promotable := embeddedSchema("schemas/common.json", "/$defs/promotable")
	t.schemas, t.ownNulls = []lazySchema{func() *jsonschema.Schema { return own }, promotable}, true
	t.SchemaHash = fingerprint(commonSchema, []byte(t.Name), data)
	return nil
}

// readSchema reads and compiles a schema_file. It also returns the content of the file.
func (p *Project) readSchema(key, configured string) ([]byte, *jsonschema.Schema, error) {
	const example = `for example "schema_file": "./schemas/api-contract.schema.yaml"`
	shown := filepath.Join(p.Root, p.docsDir, filepath.FromSlash(configured))
	rel := filepath.FromSlash(configured)
	if !filepath.IsAbs(rel) {
		rel = filepath.Join(p.docsDir, rel)
	}
	data, err := readInside(p.Root, rel)
	switch {
	case errors.Is(err, contain.ErrEscapes), errors.Is(err, contain.ErrHidden):
		return nil, nil, p.configError(key, fmt.Sprintf("is %q, which %s", configured, fileError(shown, "", err).Problem),
			"Keep the schema in the repository, "+example+".")
	case errors.Is(err, fs.ErrNotExist):
		e := p.configError(key, fmt.Sprintf("names %q, which does not exist", configured),
			fmt.Sprintf("Create %s (the path is relative to %s), or remove schema_file.", shown, p.docsDir))
		e.Err = err
		return nil, nil, e
	case err != nil:
		return nil, nil, fileError(shown, "", err)
	}
	var doc any
	switch strings.ToLower(path.Ext(configured)) {
	case ".json":
		doc, err = parseJSON(shown, data, minimalSchema)
	case ".yaml", ".yml":
		doc, err = parseYAML(shown, data)
	default:
		err = p.configError(key, fmt.Sprintf("is %q, which is neither JSON nor YAML", configured),
			"Name a file that ends in .json, .yaml or .yml, "+example+".")
	}
	if err != nil {
		return nil, nil, err
	}
	own, err := jsonschema.Compile(map[string]any{"schema": doc}, "schema", "")
	if e, ok := errors.AsType[*jsonschema.Error](err); ok {
		return nil, nil, &ConfigError{Path: shown, Key: e.Key, Problem: e.Problem, Hint: e.Hint}
	}
	return data, own, err
}

func (p *Project) configError(key, problem, hint string) *ConfigError {
	return &ConfigError{Path: p.ConfigPath, Key: key, Problem: problem, Hint: hint}
}
