package tools

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/compound-docs/compound-docs/rag"
)

// outputSchema infers the schema of answers of type T and edits the named
// properties. It differs from what the SDK would infer:
//   - a list, or a field with omitempty, cannot be null: an empty list is [], and the
//     field is left out;
//   - objects allow additional fields, so that a client with an older schema accepts
//     an answer with a new field.
//
// It panics if T has no such property, as inputSchema does.
func outputSchema[T any](properties map[string][]property) *jsonschema.Schema {
	level := &jsonschema.Schema{Type: "string"}
	for _, value := range rag.Levels() {
		level.Enum = append(level.Enum, string(value))
	}
	schema, err := jsonschema.For[T](&jsonschema.ForOptions{
		TypeSchemas: map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[rag.Level](): level},
	})
	if err != nil {
		panic(fmt.Sprintf("tools: output schema: %v", err))
	}
	open(schema)
	for name, edits := range properties {
		for _, edit := range edits {
			edit(schema.Properties[name])
		}
	}
	return schema
}

func open(s *jsonschema.Schema) {
	s.AdditionalProperties = nil
	if s.Items != nil {
		notNull(s)
		open(s.Items)
	}
	for name, p := range s.Properties {
		if !slices.Contains(s.Required, name) {
			notNull(p)
		}
		open(p)
	}
}

// oneOf restricts a text to the values.
func oneOf(values ...any) property {
	return func(s *jsonschema.Schema) { s.Enum = values }
}

// fieldsAsIn removes the fields of an object that another tool declares: each session
// of a client pays for every declaration.
func fieldsAsIn(tool string) property {
	return func(s *jsonschema.Schema) {
		s.Properties, s.Required, s.PropertyOrder = nil, nil, nil
		s.Description += " Fields as in " + tool + "."
	}
}

// sharedFields are properties of answers that several tools have.
func sharedFields() map[string][]property {
	return map[string][]property{
		"closest": {fieldsAsIn("semantic_search")},
		"index":   {fieldsAsIn("activate_project")},
	}
}
