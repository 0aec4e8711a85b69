package jsonschema

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Limits on a schema with every $ref written out: it may come with a hostile repository.
const (
	MaxDepth        = 64     // nesting
	maxNodes        = 3_000  // sub-schemas, and values that they list
	maxPattern      = 1_000  // bytes of one regular expression
	maxInstructions = 20_000 // of all compiled regular expressions
)

// keywords are those that are read.
var keywords = strings.Fields(`$schema $id $comment $defs definitions $ref title description default examples
	deprecated readOnly writeOnly type enum const format pattern minLength maxLength minimum maximum exclusiveMinimum
	exclusiveMaximum multipleOf items minItems maxItems uniqueItems properties required additionalProperties
	minProperties maxProperties dependentRequired allOf anyOf oneOf not if then else`)

// kinds are the types that a value may have, in the order in which they are described.
var kinds = []string{"null", "boolean", "number", "integer", "string", "array", "object"}

// Error is a mistake in a schema. Its texts are for the person who wrote the schema.
type Error struct {
	// Key is the place in the schema, such as properties.a.type; "" for the schema as a whole.
	Key string
	// Problem continues a sentence that begins with Key or the schema's name, as in "is not a list".
	Problem string
	// Hint is one or more sentences on what to do, with a correct example.
	Hint string
}

func (e *Error) Error() string {
	place := "the schema"
	if e.Key != "" {
		place = e.Key
	}
	return place + " " + e.Problem + ". " + e.Hint
}

func wrong(key, problem, expected string) *Error {
	return &Error{Key: cut(key), Problem: cut(problem), Hint: "JSON Schema wants " + expected + " here. " +
		`Compare it with {"type": "object", "required": ["title"], "properties": {"title": {"type": "string"}}}.`}
}

// Compile compiles the document called entry. docs maps file names to documents as [encoding/json]
// decodes into any; entry may refer only to these. fragment is a JSON pointer into entry, or "".
// The error is an [*Error] about entry.
func Compile(docs map[string]any, entry, fragment string) (*Schema, error) {
	c := compiler{docs: docs}
	expanded, err := c.refer(entry, "#"+fragment, "", 0)
	if err != nil {
		return nil, err
	}
	s := &Schema{
		root: &jsonschema.Schema{}, own: map[*jsonschema.Schema]*jsonschema.Resolved{},
		nodes: c.nodes, instructions: c.instructions,
	}
	text, err := json.Marshal(expanded)
	if err == nil {
		err = json.Unmarshal(text, s.root)
	}
	if err == nil {
		err = s.resolve(s.root)
	}
	if badType, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		_, keyword, _ := strings.Cut(badType.Field, ".")
		return nil, wrong(keyword, "is a "+badType.Value, "another type")
	}
	if err != nil {
		return nil, wrong("", fmt.Sprintf("cannot be used (%v)", err), "keywords with values of their types")
	}
	return s, nil
}

// resolve prepares a schema, and those that the checker follows.
func (s *Schema) resolve(at *jsonschema.Schema) (err error) {
	own := *at
	own.AllOf, own.Properties, own.Items, own.AdditionalProperties, own.Required = nil, nil, nil, nil, nil
	own.If, own.Then, own.Else = nil, nil, nil
	if s.own[at], err = own.Resolve(nil); err == nil && at.If != nil {
		s.own[at.If], err = at.If.Resolve(nil)
	}
	followed := append(slices.Collect(maps.Values(at.Properties)), at.Items, at.AdditionalProperties, at.Then, at.Else)
	for _, sub := range append(followed, at.AllOf...) {
		if sub != nil && err == nil {
			err = s.resolve(sub)
		}
	}
	return err
}

// compiler writes out every $ref of a document, and counts what that takes.
type compiler struct {
	docs                map[string]any
	nodes, instructions int
}

// refer returns the schema that a $ref in a document points to: a file name, "#" and a JSON pointer.
func (c *compiler) refer(doc, ref, key string, depth int) (any, error) {
	name, pointer, _ := strings.Cut(ref, "#")
	if name == "" {
		name = doc
	}
	steps := strings.Split(pointer, "/")
	for i, step := range steps {
		steps[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
	}
	target := ValueAt(c.docs[name], steps[1:])
	if steps[0] != "" || target == nil {
		return nil, &Error{
			Key: join(key, "$ref"), Problem: fmt.Sprintf("is %.100q, which is not in this file", ref),
			Hint: `Copy what it refers to into "$defs" of this file and refer to that, for example {"$ref": "#/$defs/status"}.`,
		}
	}
	return c.expand(name, target, key, depth)
}

// expand returns a schema with each $ref as an entry of allOf. key is its place.
func (c *compiler) expand(doc string, schema any, key string, depth int) (any, error) {
	if err := c.count(1, 0, depth); err != nil {
		return nil, err
	}
	if _, ok := schema.(bool); ok {
		return schema, nil
	}
	object, ok := schema.(map[string]any)
	if !ok {
		return nil, wrong(key, State(schema), "an object, true or false")
	}
	expanded := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(object)) { // so that the same fault is the first each time
		value, err := c.keyword(doc, name, object[name], join(key, name), depth+1)
		if err != nil {
			return nil, err
		}
		expanded[name] = value
	}
	for _, unused := range []string{"$schema", "$id", "$defs", "definitions", "default", "$ref"} {
		delete(expanded, unused)
	}
	if ref, ok := object["$ref"].(string); ok {
		target, err := c.refer(doc, ref, key, depth+1)
		if err != nil {
			return nil, err
		}
		all, _ := expanded["allOf"].([]any)
		expanded["allOf"] = slices.Insert(all, 0, target)
	}
	return expanded, nil
}

// keyword returns the value of a keyword with each $ref below it written out.
func (c *compiler) keyword(doc, name string, value any, key string, depth int) (any, error) {
	switch name {
	case "items", "additionalProperties", "not", "if", "then", "else":
		return c.expand(doc, value, key, depth)
	case "allOf", "anyOf", "oneOf", "properties":
		return c.each(doc, value, key, depth)
	case "type":
		for _, kind := range listOf(value) {
			if text, _ := kind.(string); !slices.Contains(kinds, text) {
				return nil, wrong(key, State(kind), "one of "+strings.Join(kinds, ", "))
			}
		}
	case "pattern":
		return value, c.pattern(value, key)
	}
	if !slices.Contains(keywords, name) {
		e := &Error{Key: key, Problem: "is not a keyword that is read here", Hint: "Check its spelling, or leave it out."}
		if meant := nearest(name, keywords); meant != "" {
			e.Hint = fmt.Sprintf("Did you mean %q?", meant)
		}
		return nil, e
	}
	return value, c.count(len(listOf(value)), 0, depth)
}

// each expands the schemas in a list or an object.
func (c *compiler) each(doc string, value any, key string, depth int) (_ any, err error) {
	switch value := value.(type) {
	case []any:
		expanded := make([]any, len(value))
		for i, schema := range value {
			if expanded[i], err = c.expand(doc, schema, key+"["+strconv.Itoa(i)+"]", depth); err != nil {
				return nil, err
			}
		}
		return expanded, nil
	case map[string]any:
		expanded := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if expanded[name], err = c.expand(doc, value[name], join(key, name), depth); err != nil {
				return nil, err
			}
		}
		return expanded, nil
	}
	return nil, wrong(key, State(value), "schemas")
}

// pattern counts the instructions of a regular expression: for each character of a text, each may be tried.
func (c *compiler) pattern(value any, key string) error {
	text, _ := value.(string)
	parsed, err := syntax.Parse(text[:min(len(text), maxPattern)], syntax.Perl)
	if err != nil || len(text) > maxPattern {
		return wrong(key, State(value), fmt.Sprintf("a regular expression of at most %d bytes", maxPattern))
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return wrong(key, State(value), "a regular expression")
	}
	return c.count(0, len(program.Inst), 0)
}

func (c *compiler) count(nodes, instructions, depth int) error {
	c.nodes, c.instructions = c.nodes+nodes, c.instructions+instructions
	if c.nodes > maxNodes || c.instructions > maxInstructions || depth > MaxDepth {
		return &Error{Problem: "is too complex, or refers to itself", Hint: fmt.Sprintf("With every $ref written out, "+
			"keep it under %d levels, %d sub-schemas and values, and %d steps of patterns.", MaxDepth, maxNodes, maxInstructions)}
	}
	return nil
}
