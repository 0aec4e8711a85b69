// Package jsonschema checks values against JSON Schemas and says what is wrong with them.
// It must not know where a schema or a value comes from, nor what either is for.
//
// github.com/google/jsonschema-go validates. This package bounds what a schema may cost, and
// validates each property by its own sub-schema, so that every fault has its place.
package jsonschema

import (
	"maps"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is a compiled JSON Schema. It is immutable and safe for concurrent use.
type Schema struct {
	root *jsonschema.Schema
	// own has the keywords for a value as a whole, without those that the checker follows:
	// allOf, properties, items and required.
	own map[*jsonschema.Schema]*jsonschema.Resolved

	nodes, instructions int // as in compiler
}

// Title returns the schema's title, or "".
func (s *Schema) Title() string { return s.root.Title }

// Description returns the schema's description, or "".
func (s *Schema) Description() string { return s.root.Description }

// Field is a key of an object that a schema describes.
type Field struct {
	Name     string
	Required bool
	// Expected describes the key's values, such as "one of high, low" or "text". It is "" if the
	// schema does not limit them.
	Expected string
	// Description is the schema's description of the key, or "".
	Description string
}

// Fields returns the keys of the object that the schema describes. Required keys come first, in the
// schema's order, with those of referenced schemas before its own; then the optional keys by name.
func (s *Schema) Fields() []Field {
	properties, names := fieldsOf(s.root)
	required := len(names)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if !slices.Contains(names[:required], name) {
			names = append(names, name)
		}
	}
	fields := make([]Field, len(names))
	for i, name := range names {
		property := properties[name]
		fields[i] = Field{Name: name, Required: i < required, Expected: describe(property)}
		for property != nil && property.Description == "" && len(property.AllOf) > 0 { // it has a $ref
			property = property.AllOf[0]
		}
		if property != nil {
			fields[i].Description = property.Description
		}
	}
	return fields
}

// fieldsOf returns the properties of a schema and of those in its allOf, and the names of the
// required ones. A property replaces one of the same name in allOf.
func fieldsOf(s *jsonschema.Schema) (properties map[string]*jsonschema.Schema, required []string) {
	properties = map[string]*jsonschema.Schema{}
	seen := map[string]bool{}
	for _, part := range s.AllOf {
		partProperties, partRequired := fieldsOf(part)
		maps.Copy(properties, partProperties)
		required = append(required, partRequired...)
	}
	maps.Copy(properties, s.Properties)
	required = slices.DeleteFunc(append(required, s.Required...), func(name string) bool {
		twice := seen[name]
		seen[name] = true
		return twice
	})
	return properties, required
}
