// Package jsonschema checks values against JSON Schemas and says in words what is
// wrong with them. It knows JSON Schema; it must not know where a schema or a
// value comes from, nor what either is for.
package jsonschema

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Limits on a schema, which may come with a hostile repository. maxCost limits the cost of a check.
const (
	MaxDepth        = 64     // nesting of the schema's text
	maxValues       = 2_000  // values in the schema's text; compiling takes time quadratic in it
	maxSteps        = 10_000 // sub-schemas with every $ref written out
	maxPatterns     = 100    // different regular expressions; a short one can take 5 ms to compile
	maxPatternBytes = 1_000  // of one regular expression
)

var (
	errOutsideRef = errors.New("points outside the file")
	errRecursive  = errors.New("refers to itself, directly or through others")
	errTooComplex = errors.New("is too complex")
)

// base is the URL of the documents of one compilation, so that they can refer to each other by file
// name. Nothing is fetched from it.
const base = "cdocs:///"

// Schema is a compiled JSON Schema without recursion. It is immutable and safe for concurrent use.
type Schema struct {
	root *jsonschema.Schema
	at   map[string]*jsonschema.Schema // by location, as in ValidationError.SchemaURL
	// patterns are the sizes of the regular expressions, by their text.
	patterns map[string]int
}

// Title returns the schema's title, or "".
func (s *Schema) Title() string { return s.root.Title }

// Description returns the schema's description, or "".
func (s *Schema) Description() string { return s.root.Description }

// Keys lists the keys that the schema names for the object at a path of keys and indexes, sorted.
func (s *Schema) Keys(path []string) []string {
	keys := map[string]bool{}
	collectKeys(s.find(path), keys)
	return slices.Sorted(maps.Keys(keys))
}

// Example returns the first of the schema's examples for the value at a path of keys and indexes.
func (s *Schema) Example(path []string) (example any, ok bool) {
	sch := s.find(path)
	if sch == nil || len(sch.Examples) == 0 {
		return nil, false
	}
	return sch.Examples[0], true
}

// closedLoader loads nothing: schemas may refer only to documents passed to Compile.
type closedLoader struct{}

func (closedLoader) Load(string) (any, error) { return nil, errOutsideRef }

// patternCache compiles each regular expression of a schema once, and limits their number and size.
type patternCache map[string]compiledPattern

type compiledPattern struct {
	*regexp.Regexp

	size int
}

func (p patternCache) compile(pattern string) (*regexp.Regexp, error) {
	if found, ok := p[pattern]; ok {
		return found.Regexp, nil
	}
	if len(pattern) > maxPatternBytes {
		return nil, fmt.Errorf("longer than %d bytes", maxPatternBytes)
	}
	if len(p) > maxPatterns {
		return nil, errTooComplex
	}
	size, err := patternSize(pattern)
	if err != nil {
		return nil, err
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err //nolint:wrapcheck // the compiler of the schema wraps it
	}
	p[pattern] = compiledPattern{Regexp: re, size: size}
	return re, nil
}

// sizes returns the cost of each pattern per character of a text.
func (p patternCache) sizes() map[string]int {
	sizes := make(map[string]int, len(p))
	for pattern, compiled := range p {
		sizes[pattern] = compiled.size
	}
	return sizes
}

// Compile compiles the document called entry. docs maps file names to documents as [encoding/json]
// decodes into any; entry may refer only to these. fragment is a JSON pointer into entry, or "".
// Formats such as date are checked in every draft. The error is an [*Error] about entry.
func Compile(docs map[string]any, entry, fragment string) (*Schema, error) {
	s, err := compile(docs, entry, fragment)
	if err != nil {
		return nil, explain(docs[entry], err)
	}
	return s, nil
}

func compile(docs map[string]any, entry, fragment string) (*Schema, error) {
	c := jsonschema.NewCompiler()
	c.UseLoader(closedLoader{})
	c.AssertFormat()
	patterns := patternCache{}
	c.UseRegexpEngine(func(pattern string) (jsonschema.Regexp, error) { return patterns.compile(pattern) })
	for name, doc := range docs {
		values := 0
		if !countValues(doc, MaxDepth, &values) {
			return nil, errTooComplex
		}
		if err := c.AddResource(base+name, doc); err != nil {
			return nil, fmt.Errorf("add schema %s: %w", name, err)
		}
	}
	target := base + entry
	if fragment != "" {
		target += "#" + fragment
	}
	root, err := c.Compile(target)
	if len(patterns) > maxPatterns {
		return nil, errTooComplex
	}
	if err != nil {
		return nil, fmt.Errorf("compile schema %s: %w", entry, err)
	}
	s := &Schema{root: root, at: map[string]*jsonschema.Schema{}, patterns: patterns.sizes()}
	if _, err := s.measure(root, map[*jsonschema.Schema]int{}); err != nil {
		return nil, err
	}
	return s, nil
}

// countValues adds the number of values in v to n. It reports false if there are too many or they
// are nested more than depth levels deep.
func countValues(v any, depth int, n *int) bool {
	*n++
	if depth == 0 || *n > maxValues {
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			if !countValues(e, depth-1, n) {
				return false
			}
		}
	case []any:
		for _, e := range v {
			if !countValues(e, depth-1, n) {
				return false
			}
		}
	}
	return true
}

// measure records sch and all schemas below it in s.at, and returns their number with every
// reference written out. A reference to a schema that is still being measured (steps 0) is
// recursive. That is an error, because the cost of a check would grow with the value's depth.
func (s *Schema) measure(sch *jsonschema.Schema, steps map[*jsonschema.Schema]int) (int, error) {
	if n, seen := steps[sch]; seen {
		if n == 0 {
			return 0, errRecursive
		}
		return n, nil
	}
	if sch.DynamicRef != nil || sch.RecursiveRef != nil {
		return 0, errRecursive
	}
	steps[sch] = 0
	s.at[sch.Location] = sch
	total := 1
	for _, child := range children(sch) {
		n, err := s.measure(child, steps)
		if err != nil {
			return 0, err
		}
		if total += n; total > maxSteps {
			return 0, errTooComplex
		}
	}
	steps[sch] = total
	return total, nil
}

// children lists the schemas that sch applies, to the same value or to a part of it.
func children(sch *jsonschema.Schema) []*jsonschema.Schema {
	list := slices.Concat(sch.AllOf, sch.AnyOf, sch.OneOf, sch.PrefixItems)
	list = slices.AppendSeq(list, maps.Values(sch.Properties))
	list = slices.AppendSeq(list, maps.Values(sch.PatternProperties))
	list = slices.AppendSeq(list, maps.Values(sch.DependentSchemas))
	list = append(list, sch.Ref, sch.Not, sch.If, sch.Then, sch.Else, sch.PropertyNames, sch.Contains,
		sch.Items2020, sch.UnevaluatedItems, sch.UnevaluatedProperties)
	for _, v := range sch.Dependencies {
		list = appendSchemas(list, v)
	}
	for _, v := range []any{sch.AdditionalProperties, sch.Items, sch.AdditionalItems} {
		list = appendSchemas(list, v)
	}
	return slices.DeleteFunc(list, func(s *jsonschema.Schema) bool { return s == nil })
}

// appendSchemas appends v if it is a schema or a list of them: the older drafts' keywords are any.
func appendSchemas(list []*jsonschema.Schema, v any) []*jsonschema.Schema {
	switch v := v.(type) {
	case *jsonschema.Schema:
		return append(list, v)
	case []*jsonschema.Schema:
		return append(list, v...)
	default:
		return list
	}
}

// find returns the schema for the value at a path of keys and indexes, or nil.
func (s *Schema) find(at []string) *jsonschema.Schema { return findBelow(s.root, at) }

func findBelow(sch *jsonschema.Schema, at []string) *jsonschema.Schema {
	if sch == nil || len(at) == 0 {
		return sch
	}
	if p, ok := sch.Properties[at[0]]; ok {
		return findBelow(p, at[1:])
	}
	if items := itemsOf(sch); items != nil {
		return findBelow(items, at[1:])
	}
	for _, part := range append([]*jsonschema.Schema{sch.Ref}, sch.AllOf...) {
		if found := findBelow(part, at); found != nil {
			return found
		}
	}
	return nil
}

// itemsOf returns the schema of every entry of a list, or nil.
func itemsOf(sch *jsonschema.Schema) *jsonschema.Schema {
	if sch.Items2020 != nil {
		return sch.Items2020
	}
	items, _ := sch.Items.(*jsonschema.Schema) // drafts before 2020-12; nil when it is not one schema
	return items
}

func collectKeys(sch *jsonschema.Schema, keys map[string]bool) {
	if sch == nil {
		return
	}
	for k := range sch.Properties {
		keys[k] = true
	}
	for _, part := range append([]*jsonschema.Schema{sch.Ref}, sch.AllOf...) {
		collectKeys(part, keys)
	}
}
