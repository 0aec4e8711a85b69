package tools

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/rag/catalog"

	"github.com/google/jsonschema-go/jsonschema"
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
	for _, value := range catalog.Levels() {
		level.Enum = append(level.Enum, string(value))
	}
	schema, err := jsonschema.For[T](&jsonschema.ForOptions{
		TypeSchemas: map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[catalog.Level](): level},
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

// fieldsAsIn removes the fields of an object, or of those in an array, that another tool
// declares: each session of a client pays for every declaration.
func fieldsAsIn(tool string) property {
	return func(s *jsonschema.Schema) {
		object := s
		if s.Items != nil {
			object = s.Items
		}
		object.Properties, object.Required, object.PropertyOrder = nil, nil, nil
		s.Description = strings.TrimSpace(s.Description + " Fields as in " + tool + ".")
	}
}

// sharedFields are properties of answers that several tools have. They are described where
// the first of these declares them. more are further ones of a tool.
func sharedFields(more ...string) map[string][]property {
	shared := map[string][]property{
		"closest": {fieldsAsIn("semantic_search")},
		"index":   {fieldsAsIn("activate_project")},
	}
	undescribed := func(s *jsonschema.Schema) { s.Description = "" }
	for _, name := range append(more, "mode", "mode_reason", "retry_after_seconds", "embedded") {
		shared[name] = append(shared[name], undescribed)
	}
	for _, list := range []string{"sources", "linked_docs"} { // their fields are those of results
		shared[list] = append(shared[list], func(s *jsonschema.Schema) {
			for _, field := range s.Items.Properties {
				undescribed(field)
			}
		})
	}
	return shared
}

// externalSchema is outputSchema for a tool of the external docs, whose list has the fields
// that the list of another tool has.
func externalSchema[T any](list, as string, shared ...string) *jsonschema.Schema {
	properties := sharedFields(shared...)
	delete(properties, "sources")
	delete(properties, "linked_docs")
	properties[list] = []property{fieldsAsIn(as)}
	return outputSchema[T](properties)
}
