package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/test/toolexample"
)

// tool is a declared tool with its example file.
type tool struct {
	*mcp.Tool
	toolexample.File
}

func (t tool) input() *jsonschema.Schema { return schemaOf(t.InputSchema) }

// output is an empty schema for a tool that answers with plain text.
func (t tool) output() *jsonschema.Schema { return schemaOf(t.OutputSchema) }

func schemaOf(declared any) *jsonschema.Schema {
	if schema, ok := declared.(*jsonschema.Schema); ok {
		return schema
	}
	return &jsonschema.Schema{}
}

// names returns the required properties in their order, then the others sorted.
func names(s *jsonschema.Schema) []string {
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(s.Properties)), func(name string) bool {
		return slices.Contains(s.Required, name)
	})
	return slices.Concat(s.Required, others)
}

// kind returns the type in words.
func kind(s *jsonschema.Schema) string {
	switch {
	case len(s.AnyOf) > 0:
		var kinds []string
		for _, one := range slices.Backward(s.AnyOf) { // "null" comes first
			kinds = append(kinds, one.Type)
		}
		return strings.Join(kinds, " or ")
	case s.Items != nil:
		return s.Type + " of " + kind(s.Items)
	case s.Type != "":
		return s.Type
	default:
		return "any"
	}
}

// allowed returns the allowed values in words, or "".
func allowed(s *jsonschema.Schema) string {
	switch {
	case s.Items != nil:
		return allowed(s.Items)
	case len(s.Enum) > 0:
		quoted := make([]string, len(s.Enum))
		for i, value := range s.Enum {
			quoted[i] = fmt.Sprintf("`%v`", value)
		}
		last := len(quoted) - 1
		return strings.TrimPrefix(strings.Join(quoted[:last], ", ")+" or "+quoted[last], " or ")
	case s.Minimum != nil && s.Maximum != nil:
		return strconv.FormatFloat(*s.Minimum, 'f', -1, 64) + " to " + strconv.FormatFloat(*s.Maximum, 'f', -1, 64)
	case s.MaxLength != nil:
		return fmt.Sprintf("up to %d characters", *s.MaxLength)
	case s.MinLength != nil:
		return "not empty"
	default:
		return ""
	}
}

// describe splits a description into its text and the default at its end. The default of the schema
// wins.
func describe(s *jsonschema.Schema) (description, byDefault string) {
	description, byDefault, _ = strings.Cut(s.Description, " Default: ")
	byDefault = strings.TrimSuffix(byDefault, ".")
	if s.Default != nil {
		byDefault = "`" + string(s.Default) + "`"
	}
	return description, byDefault
}

// parameter is an argument of a tool. Facts are its type unless that is a string, whether it is
// required, its range and its default.
type parameter struct {
	Name, Facts, Description string
}

// Parameters returns the arguments of the tool.
func (t tool) Parameters() (parameters []parameter) {
	for _, name := range names(t.input()) {
		s := t.input().Properties[name]
		description, byDefault := describe(s)
		var facts []string
		if kind(s) != plainText {
			facts = append(facts, kind(s))
		}
		if slices.Contains(t.input().Required, name) {
			facts = append(facts, "required")
		}
		if values := allowed(s); values != "" && values != "not empty" {
			facts = append(facts, values)
		}
		if byDefault != "" {
			facts = append(facts, "default "+byDefault)
		}
		parameters = append(parameters, parameter{Name: name, Facts: strings.Join(facts, ", "), Description: description})
	}
	return parameters
}

// plainText is the type that the page does not name.
const plainText = "string"

// field is a field of an answer.
type field struct {
	Path, Kind, Description string

	allowed          string
	optional, shared bool
}

// Facts are the field's type, unless that is a string, and whether it is optional.
func (f field) Facts() string {
	var facts []string
	if f.Kind != plainText {
		facts = append(facts, f.Kind)
	}
	if f.optional {
		facts = append(facts, "optional")
	}
	return strings.Join(facts, ", ")
}

// place splits the path of a field into that of its object, "" for the answer, and its name.
func (f field) place() (object, name string) {
	end := strings.LastIndex(f.Path, ".")
	return f.Path[:max(end, 0)], f.Path[end+1:]
}

// fields returns all fields of an answer, each followed by those inside it.
func fields(s *jsonschema.Schema, prefix string) []field {
	var found []field
	for _, name := range names(s) {
		p := s.Properties[name]
		f := field{Path: prefix + name, Kind: kind(p), allowed: allowed(p)}
		f.optional = !slices.Contains(s.Required, name)
		found = append(found, f)
		if p.Items != nil {
			found = append(found, fields(p.Items, f.Path+"[].")...)
		}
		found = append(found, fields(p, f.Path+".")...)
	}
	return found
}
