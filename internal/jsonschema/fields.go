package jsonschema

import (
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Field is a key of an object that a schema describes.
type Field struct {
	Name     string
	Required bool
	// Expected describes the key's values, such as "one of high, low" or "text". It is "" if the
	// schema does not limit them, or only in a way that cannot be described.
	Expected string
	// Description is the schema's description of the key, or "".
	Description string
}

// Fields returns the keys of the object that the schema describes. Required keys come first, in the
// schema's order, with those of referenced schemas before its own; then the optional keys by name.
// Keys that only occur under a condition are left out.
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

// collect adds the keys of sch. It visits $ref and allOf first, so that a definition in sch replaces
// one in a schema that sch refers to. It terminates because a compiled Schema has no cycles.
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

// description returns the schema's description, or the first one along its $refs.
func description(sch *jsonschema.Schema) string {
	for ; sch != nil; sch = sch.Ref {
		if sch.Description != "" {
			return sch.Description
		}
	}
	return ""
}
