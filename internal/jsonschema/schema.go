// Package jsonschema checks values against JSON Schemas and says in words what is
// wrong with them. It knows JSON Schema; it must not know where a schema or a
// value comes from, nor what either is for.
//
// github.com/google/jsonschema-go checks each value. This package splits a schema into
// the parts that apply to one value, so that every fault is found and has its place, and
// bounds what a check costs. A schema has the keywords of keywords.json, and no recursion.
package jsonschema

import (
	"maps"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is a compiled JSON Schema. It is immutable and safe for concurrent use.
type Schema struct {
	own     jsonschema.Schema    // the keywords for the value as a whole
	checks  *jsonschema.Resolved // own, but for what is required; nil if the schema is true or false
	forbids bool                 // the schema is false

	allOf      []*Schema // first what $ref refers to
	anyOf      []*Schema
	oneOf      []*Schema
	not        *Schema
	condition  *Schema // if
	then       *Schema
	otherwise  *Schema // else
	properties map[string]*Schema
	items      *Schema
	additional *Schema

	// What a check costs, as maxCost counts: for each value, and for each byte of them. Both
	// include the schemas below this one, each time that one is referred to.
	perValue, perByte float64
}

// Title returns the schema's title, or "".
func (s *Schema) Title() string { return s.own.Title }

// Description returns the schema's description, or "".
func (s *Schema) Description() string { return s.own.Description }

// Keys lists the keys that the schema names for the object at a path of keys and indexes, sorted.
func (s *Schema) Keys(path []string) []string {
	properties := map[string]*Schema{}
	s.find(path).collect(properties, nil)
	return slices.Sorted(maps.Keys(properties))
}

// Example returns the first of the schema's examples for the value at a path of keys and indexes.
func (s *Schema) Example(path []string) (example any, ok bool) {
	for at := s.find(path); at != nil; at = at.first() {
		if len(at.own.Examples) > 0 {
			return at.own.Examples[0], true
		}
	}
	return nil, false
}

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
	properties := map[string]*Schema{}
	var names []string
	s.collect(properties, &names)
	required := len(names)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if !slices.Contains(names[:required], name) {
			names = append(names, name)
		}
	}
	fields := make([]Field, len(names))
	for i, name := range names {
		property := properties[name]
		fields[i] = Field{Name: name, Required: i < required, Expected: property.describe()}
		for p := property; p != nil && fields[i].Description == ""; p = p.first() {
			fields[i].Description = p.own.Description
		}
	}
	return fields
}

func (s *Schema) first() *Schema {
	if len(s.allOf) == 0 {
		return nil
	}
	return s.allOf[0]
}

// collect adds the keys that s names, and those that it requires unless required is nil. It
// visits allOf first, so that a definition in s replaces one in a schema that s refers to.
func (s *Schema) collect(properties map[string]*Schema, required *[]string) {
	if s == nil {
		return
	}
	for _, sub := range s.allOf {
		sub.collect(properties, required)
	}
	maps.Copy(properties, s.properties)
	if required == nil {
		return
	}
	for _, name := range s.own.Required {
		if !slices.Contains(*required, name) {
			*required = append(*required, name)
		}
	}
}

// find returns the schema for the value at a path of keys and indexes, or nil.
func (s *Schema) find(at []string) *Schema {
	if s == nil || len(at) == 0 {
		return s
	}
	if property, ok := s.properties[at[0]]; ok {
		return property.find(at[1:])
	}
	if s.items != nil {
		return s.items.find(at[1:])
	}
	for _, sub := range s.allOf {
		if found := sub.find(at); found != nil {
			return found
		}
	}
	return nil
}
