package project

import (
	"embed"
	"encoding/json"
	"errors"
	"path"
	"sync"

	"github.com/compound-docs/compound-docs/internal/project/jsonschema"
)

//go:embed schemas/*.json config.schema.json settings.schema.json
var schemaFiles embed.FS

//go:embed schemas/common.json
var commonSchema []byte

// compiledSchemas caches the results of embeddedSchema by its arguments. Compiling a schema takes two milliseconds.
//
//nolint:gochecknoglobals // what is built in is the same for every project
var compiledSchemas sync.Map

// lazySchema returns a schema. The first call compiles a built-in schema. Hooks need no schema, so they start faster.
type lazySchema func() *jsonschema.Schema

// embeddedSchema returns an embedded schema. If fragment, a JSON pointer, is not "", it returns only that part. The
// schema may refer to common.json.
func embeddedSchema(file, fragment string) lazySchema {
	compile := lazySchema(sync.OnceValue(func() *jsonschema.Schema {
		docs := map[string]any{}
		for _, name := range []string{file, "schemas/common.json"} {
			var doc any
			readEmbedded(name, &doc)
			docs[path.Base(name)] = doc
		}
		compiled, err := jsonschema.Compile(docs, path.Base(file), fragment)
		if err != nil {
			panic(err) // tests compile every embedded schema
		}
		return compiled
	}))
	once, _ := compiledSchemas.LoadOrStore(file+"#"+fragment, compile)
	compile, _ = once.(lazySchema) // nothing else is stored
	return compile
}

// readEmbedded decodes an embedded schema into dst, and returns its text.
func readEmbedded(name string, dst any) []byte {
	data, err := schemaFiles.ReadFile(name)
	if err := errors.Join(err, json.Unmarshal(data, dst)); err != nil {
		panic(err) // tests read every embedded schema
	}
	return data
}
