// Package jsonschema checks values against JSON Schemas and says what is wrong with them. It must not know
// the origin or the purpose of either.
//
// github.com/google/jsonschema-go validates. This package bounds the cost of a schema, and validates each
// property by its own sub-schema, so that it can name the field of every fault.
package jsonschema

import (
	"maps"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is a compiled JSON Schema. It is immutable and safe for concurrent use.
type Schema struct {
	root                *jsonschema.Schema
	validators          validators
	nodes, instructions int // as in compiler
}

// Field is a key of an object that a schema describes.
type Field struct {
	Name        string
	Required    bool
	Expected    string // describes the values, such as "one of high, low" or "text"; "" for any value
	Description string // the schema's, or ""
}

// Fields returns the keys of the object that the schema describes: required keys in the schema's order,
// those of referenced schemas first, and then the optional keys by name.
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

// fieldsOf returns the properties and the required names of a schema and of its allOf. Its own properties
// win.
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
		again := seen[name]
		seen[name] = true
		return again
	})
	return properties, required
}
