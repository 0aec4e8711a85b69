// Package jsonschema checks values against JSON Schemas and says in words what is
// wrong with them. It knows JSON Schema; it must not know where a schema or a
// value comes from, nor what either is for.
//
// github.com/google/jsonschema-go checks each value. This package splits a schema into
// the parts that apply to one value, so that every fault is found and has its place, and
// bounds what a check costs.
package jsonschema

import (
	"maps"
	"regexp"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is a compiled JSON Schema without recursion. It is immutable and safe for concurrent use.
type Schema struct {
	root  *jsonschema.Schema // a tree: every $ref is written out, as the first of allOf
	parts map[*jsonschema.Schema]part
	size  size
}

// part is what a sub-schema is compiled to.
type part struct {
	rest      *jsonschema.Resolved                  // the keywords for the value as a whole; nil: none
	condition *jsonschema.Resolved                  // if
	names     *jsonschema.Resolved                  // propertyNames
	named     map[*regexp.Regexp]*jsonschema.Schema // patternProperties
	forbids   bool                                  // the schema is false
}

// size measures a schema with every $ref written out.
type size struct {
	steps    int // sub-schemas
	texts    int // bytes of the values of other keywords
	patterns int // instructions of the regular expressions
}

// Title returns the schema's title, or "".
func (s *Schema) Title() string { return s.root.Title }

// Description returns the schema's description, or "".
func (s *Schema) Description() string { return s.root.Description }

// Keys lists the keys that the schema names for the object at a path of keys and indexes, sorted.
func (s *Schema) Keys(path []string) []string {
	properties := map[string]*jsonschema.Schema{}
	collect(find(s.root, path), properties, nil)
	return slices.Sorted(maps.Keys(properties))
}

// Example returns the first of the schema's examples for the value at a path of keys and indexes.
func (s *Schema) Example(path []string) (example any, ok bool) {
	for sch := find(s.root, path); sch != nil; sch = first(sch.AllOf) {
		if len(sch.Examples) > 0 {
			return sch.Examples[0], true
		}
	}
	return nil, false
}

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
	properties := map[string]*jsonschema.Schema{}
	var names []string
	collect(s.root, properties, &names)
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
		for p := property; p != nil && fields[i].Description == ""; p = first(p.AllOf) {
			fields[i].Description = p.Description
		}
	}
	return fields
}

func first(schemas []*jsonschema.Schema) *jsonschema.Schema {
	if len(schemas) == 0 {
		return nil
	}
	return schemas[0]
}

// collect adds the keys that sch names, and those that it requires unless required is nil. It
// visits allOf first, so that a definition in sch replaces one in a schema that sch refers to.
func collect(sch *jsonschema.Schema, properties map[string]*jsonschema.Schema, required *[]string) {
	if sch == nil {
		return
	}
	for _, sub := range sch.AllOf {
		collect(sub, properties, required)
	}
	maps.Copy(properties, sch.Properties)
	if required == nil {
		return
	}
	for _, name := range sch.Required {
		if !slices.Contains(*required, name) {
			*required = append(*required, name)
		}
	}
}

// find returns the schema below sch for the value at a path of keys and indexes, or nil.
func find(sch *jsonschema.Schema, at []string) *jsonschema.Schema {
	if sch == nil || len(at) == 0 {
		return sch
	}
	if property, ok := sch.Properties[at[0]]; ok {
		return find(property, at[1:])
	}
	if sch.Items != nil {
		return find(sch.Items, at[1:])
	}
	for _, sub := range sch.AllOf {
		if found := find(sub, at); found != nil {
			return found
		}
	}
	return nil
}
