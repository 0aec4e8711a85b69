package jsonschema

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// split separates what a schema says about a value as a whole from what it says about its parts,
// for the schema and for those below it that have findings of their own.
func (c *compiler) split(s *jsonschema.Schema, parts map[*jsonschema.Schema]part) {
	if s == nil || c.err != nil {
		return
	}
	rest := *s
	rest.AllOf, rest.If, rest.Then, rest.Else = nil, nil, nil, nil
	rest.Required, rest.DependentRequired, rest.DependentSchemas = nil, nil, nil
	rest.Properties, rest.PatternProperties, rest.AdditionalProperties = nil, nil, nil
	rest.PrefixItems, rest.Items, rest.PropertyNames = nil, nil, nil
	p := part{
		rest:    c.resolve(&rest),
		named:   map[*regexp.Regexp]*jsonschema.Schema{},
		forbids: reflect.DeepEqual(*s, jsonschema.Schema{Not: &jsonschema.Schema{}}),
	}
	if s.If != nil {
		p.condition = c.resolve(s.If)
	}
	if s.PropertyNames != nil {
		p.names = c.resolve(s.PropertyNames)
	}
	for text, sub := range s.PatternProperties {
		p.named[regexp.MustCompile(text)] = sub
	}
	parts[s] = p
	for _, sub := range slices.Concat(
		s.AllOf, s.AnyOf, s.OneOf, s.PrefixItems, []*jsonschema.Schema{s.Then, s.Else, s.Items, s.AdditionalProperties},
		slices.Collect(maps.Values(s.Properties)), slices.Collect(maps.Values(s.PatternProperties)),
		slices.Collect(maps.Values(s.DependentSchemas)),
	) {
		c.split(sub, parts)
	}
}

// resolve prepares a schema for the validator. One that says nothing of a value is nil.
func (c *compiler) resolve(s *jsonschema.Schema) *jsonschema.Resolved {
	plain := *s
	plain.Title, plain.Description, plain.Examples, plain.Format, plain.Extra = "", "", nil, "", nil
	if reflect.DeepEqual(plain, jsonschema.Schema{}) {
		return nil
	}
	resolved, err := plain.Resolve(nil)
	if err != nil && c.err == nil {
		c.err = &Error{Problem: fmt.Sprintf("cannot be used (%v)", err), Hint: compareHint}
	}
	return resolved
}
