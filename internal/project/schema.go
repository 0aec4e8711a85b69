package project

import (
	"embed"
	"errors"
	"fmt"
	"path"
	"sync"

	"github.com/compound-docs/compound-docs/internal/project/jsonschema"
)

//go:embed schemas/*.json config.schema.json settings.schema.json
var schemaFiles embed.FS

//go:embed schemas/common.json
var commonSchema []byte

// compiledSchemas caches the results of embeddedSchema by its arguments. Every project has seven of them, and one takes
// two milliseconds.
//
//nolint:gochecknoglobals // what is built in is the same for every project
var compiledSchemas sync.Map

// embeddedSchema compiles an embedded schema once, or a part of it: fragment is a JSON pointer, or "". The
// schema may refer to common.json.
func embeddedSchema(file, fragment string) (*jsonschema.Schema, error) {
	compile := sync.OnceValues(func() (*jsonschema.Schema, error) { return compileEmbedded(file, fragment) })
	once, _ := compiledSchemas.LoadOrStore(file+"#"+fragment, compile)
	compile, _ = once.(func() (*jsonschema.Schema, error)) // nothing else is stored
	return compile()
}

func compileEmbedded(file, fragment string) (*jsonschema.Schema, error) {
	docs := map[string]any{}
	for _, name := range []string{file, "schemas/common.json"} {
		doc, err := embeddedJSON(name)
		if err != nil {
			return nil, err
		}
		docs[path.Base(name)] = doc
	}
	s, err := jsonschema.Compile(docs, path.Base(file), fragment)
	if err != nil {
		return nil, fmt.Errorf("built-in schema %s: %w", file, err)
	}
	return s, nil
}

func embeddedJSON(name string) (any, error) {
	data, err := schemaFiles.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read built-in schema: %w", err)
	}
	return parseJSON(name, data, minimalSchema)
}

// schemaError turns an error of [jsonschema.Compile] into a *ConfigError.
func schemaError(file string, err error) error {
	var e *jsonschema.Error
	if !errors.As(err, &e) {
		return err
	}
	return &ConfigError{Path: file, Key: e.Key, Problem: e.Problem, Hint: e.Hint}
}
