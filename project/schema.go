package project

import (
	"embed"
	"errors"
	"fmt"
	"path"

	"github.com/compound-docs/compound-docs/internal/schema"
)

//go:embed schemas/*.json config.schema.json settings.schema.json shortform.schema.json
var schemaFiles embed.FS

// embeddedSchema compiles one of the files that are built in, with common.json beside it. fragment
// is a JSON pointer into it, or "".
func embeddedSchema(file, fragment string) (*schema.Schema, error) {
	docs := map[string]any{}
	for _, name := range []string{file, "schemas/common.json"} {
		doc, err := embeddedJSON(name)
		if err != nil {
			return nil, err
		}
		docs[path.Base(name)] = doc
	}
	s, err := schema.Compile(docs, path.Base(file), fragment)
	if err != nil {
		return nil, fmt.Errorf("built-in schema %s: %w", file, err)
	}
	return s, nil
}

// embeddedJSON parses one of the files that are built in.
func embeddedJSON(name string) (any, error) {
	data, err := schemaFiles.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read built-in schema: %w", err)
	}
	return parseJSON(name, data)
}

// schemaError turns an error of [schema.Compile] about a doc-type's schema into a *ConfigError.
func schemaError(file string, err error) error {
	var e *schema.Error
	if !errors.As(err, &e) {
		return err
	}
	return &ConfigError{Path: file, Key: e.Key, Problem: e.Problem, Hint: e.Hint, Err: err}
}
