package tools

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/compound-docs/compound-docs/rag"
)

// outputSchema infers the schema of answers of type T and edits the named
// properties. Beside the edits it differs from what the SDK infers:
//   - only a field that is always there can be null: one with omitempty is left
//     out instead, and a list without items is [];
//   - objects are open, so that a client which has read the schema accepts an
//     answer with one more field.
//
// It panics on a name that T does not have, as inputSchema does.
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

// indexFields leaves the fields of an index to activate_project, which declares
// them in full: every session pays for the declarations of all tools.
func indexFields(s *jsonschema.Schema) {
	s.Properties, s.Required, s.PropertyOrder = nil, nil, nil
	s.Description += " Its fields are those in activate_project."
}
