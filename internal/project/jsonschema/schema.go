// Package jsonschema checks values against JSON Schemas and says what is wrong with the values. It must not know where
// values and schemas come from, or what they are for.
//
// The library github.com/google/jsonschema-go validates. This package bounds the cost of a schema. It validates each
// property separately, by the sub-schema of the property, so that it can name the field of every fault.
package jsonschema

import (
	"maps"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is a compiled JSON Schema. It is immutable and safe for concurrent use.
type Schema struct {
	root                *jsonschema.Schema
	validators          validators
	nodes, instructions int // as compiler counts them
}

// Has reports whether the schema describes a field of the whole value.
func (s *Schema) Has(field string) bool {
	_, isField := fieldsOf(s.root)[field]
	return isField
}

// fieldsOf returns the properties of a schema and of the schemas in its allOf. The schema's own properties win.
func fieldsOf(s *jsonschema.Schema) map[string]*jsonschema.Schema {
	properties := map[string]*jsonschema.Schema{}
	for _, part := range s.AllOf {
		maps.Copy(properties, fieldsOf(part))
	}
	maps.Copy(properties, s.Properties)
	return properties
}
