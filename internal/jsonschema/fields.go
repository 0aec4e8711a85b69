package jsonschema

import (
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Field is a key that a schema names for an object, in a writer's words.
type Field struct {
	Name     string
	Required bool
	// Expected says what value the key takes: "one of high, low", "text". It is "" where the schema
	// does not say, or not in a way that has words.
	Expected string
	// Description is the schema's own, or "".
	Description string
}

// Fields lists the keys of the object that the schema describes: the required ones in the order in
// which the schema asks for them, those of the schemas that it builds on first; then the others by
// name. Keys that are only named under a condition are left out.
func (s *Schema) Fields() []Field {
	c := fieldCollector{properties: map[string]*jsonschema.Schema{}}
	c.collect(s.root)
	optional := slices.Sorted(maps.Keys(c.properties))
	fields := make([]Field, 0, len(optional))
	for _, name := range c.required {
		fields = append(fields, c.field(name, true))
	}
	for _, name := range optional {
		if !slices.Contains(c.required, name) {
			fields = append(fields, c.field(name, false))
		}
	}
	return fields
}

type fieldCollector struct {
	required   []string
	properties map[string]*jsonschema.Schema
}

// collect goes down before it looks at sch itself, so that what sch says of a key holds over what
// the schemas that it builds on say. It ends: a Schema is finite.
func (c *fieldCollector) collect(sch *jsonschema.Schema) {
	if sch == nil {
		return
	}
	c.collect(sch.Ref)
	for _, part := range sch.AllOf {
		c.collect(part)
	}
	maps.Copy(c.properties, sch.Properties)
	for _, name := range sch.Required {
		if !slices.Contains(c.required, name) {
			c.required = append(c.required, name)
		}
	}
}

func (c *fieldCollector) field(name string, required bool) Field {
	property := c.properties[name]
	return Field{Name: name, Required: required, Expected: describe(property), Description: description(property)}
}

// description returns the nearest one on the way from a schema to what it refers to.
func description(sch *jsonschema.Schema) string {
	for ; sch != nil; sch = sch.Ref {
		if sch.Description != "" {
			return sch.Description
		}
	}
	return ""
}
