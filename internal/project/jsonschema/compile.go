package jsonschema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Limits on a schema in which every $ref is replaced by its target. A schema may come from a hostile repository.
const (
	MaxDepth        = 64     // nesting
	maxNodes        = 3_000  // sub-schemas, and values in them
	nodeBytes       = 1_000  // bytes of text that count as one more value
	maxPattern      = 1_000  // bytes of one regular expression
	maxInstructions = 20_000 // of all compiled regular expressions
)

// Compile refuses a keyword that is in neither list. The ignored keywords have no effect on validity.
var (
	keywords = strings.Fields(`title description type enum const format pattern minLength maxLength minimum maximum
		exclusiveMinimum exclusiveMaximum multipleOf items minItems maxItems uniqueItems properties required
		additionalProperties minProperties maxProperties allOf anyOf oneOf not if then else`)
	ignored = strings.Fields("$schema $id $comment $defs definitions default examples deprecated readOnly writeOnly")
)

// typeNames maps JSON Schema's types to words for messages.
var typeNames = map[string]string{
	"null": "null", "boolean": "true or false", "number": "a number", "integer": "a whole number",
	"string": "text", "array": "a list", "object": "an object",
}

// Error is a mistake in a schema. Its texts are for the person who wrote the schema.
type Error struct {
	Key     string // such as properties.a.type; "" for the schema as a whole
	Problem string // completes the sentence that Key begins, as in "is a list"
	Hint    string // one or more sentences on what to do
}

func (e *Error) Error() string {
	return cmp.Or(e.Key, "the schema") + " " + e.Problem + ". " + e.Hint
}

func wrong(key, problem, hint string) *Error {
	return &Error{Key: cut(key), Problem: cut(problem), Hint: hint}
}

// Compile compiles the schema in the file called entry. If fragment, a JSON pointer, is not "", it compiles only that
// part. docs maps file names to contents, with the types that [encoding/json] decodes into any. A $ref may lead only to
// these files. The error is an [*Error] about the file entry.
func Compile(docs map[string]any, entry, fragment string) (*Schema, error) {
	c := compiler{docs: docs}
	expanded, err := c.refer(entry, "#"+fragment, "", 0)
	if err != nil {
		return nil, err
	}
	s := &Schema{root: &jsonschema.Schema{}, validators: validators{}, nodes: c.nodes, instructions: c.instructions}
	text, err := json.Marshal(expanded)
	if err != nil {
		return nil, unusable(err)
	}
	if err := json.Unmarshal(text, s.root); err != nil {
		return nil, unusable(err)
	}
	if err := s.validators.add(s.root); err != nil {
		return nil, unusable(err)
	}
	return s, nil
}

func unusable(err error) *Error {
	return wrong("", fmt.Sprintf("cannot be used (%v)", err),
		`Compare it with {"type": "object", "required": ["title"], "properties": {"title": {"type": "string"}}}.`)
}

// validators has a validator for each schema. A validator checks a value without the values inside. The checker itself
// handles some keywords, so validators ignore them: allOf, properties, additionalProperties, items and required.
type validators map[*jsonschema.Schema]*jsonschema.Resolved

// add makes the validators of a schema and of all schemas below it that the checker visits.
func (v validators) add(s *jsonschema.Schema) error {
	if s == nil {
		return nil
	}
	own := *s
	own.AllOf, own.Properties, own.Items, own.AdditionalProperties, own.Required = nil, nil, nil, nil, nil
	resolved, err := own.Resolve(nil)
	if err != nil {
		return fmt.Errorf("resolve the schema: %w", err)
	}
	v[s] = resolved
	visited := append(slices.Collect(maps.Values(s.Properties)), s.Items, s.AdditionalProperties)
	for _, below := range append(visited, s.AllOf...) {
		if err := v.add(below); err != nil {
			return err
		}
	}
	return nil
}

// compiler replaces each $ref of a document by its target, and measures the result.
type compiler struct {
	docs                map[string]any
	nodes, instructions int
}

// refer returns the target of a $ref in the file doc. ref is a file name ("" for doc), "#" and a JSON pointer.
func (c *compiler) refer(doc, ref, key string, depth int) (any, error) {
	name, pointer, _ := strings.Cut(ref, "#")
	name = cmp.Or(name, doc)
	steps := strings.Split(pointer, "/")
	for i, step := range steps {
		steps[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
	}
	target := ValueAt(c.docs[name], steps[1:])
	if steps[0] != "" || target == nil {
		return nil, wrong(key, fmt.Sprintf("is %.100q, which is not in this file", ref),
			`Copy what it refers to into "$defs" of this file and refer to that, for example {"$ref": "#/$defs/status"}.`)
	}
	return c.expand(name, target, key, depth)
}

// expand returns the value of a keyword, after replacing each $ref in the value by its target. key is the place of the
// value in the schema. A value of a wrong type stays, and [Compile] refuses it later.
func (c *compiler) expand(doc string, value any, key string, depth int) (any, error) {
	switch value := value.(type) {
	case []any:
		expanded := make([]any, 0, len(value))
		for i, item := range value {
			schema, err := c.expand(doc, item, fmt.Sprintf("%s[%d]", key, i), depth)
			if err != nil {
				return nil, err
			}
			expanded = append(expanded, schema)
		}
		return expanded, nil
	case map[string]any:
		return c.schema(doc, value, key, depth)
	}
	return value, c.count(value, depth)
}

// schema returns a schema after replacing each $ref in it. The target of a $ref becomes the first entry of allOf.
func (c *compiler) schema(doc string, schema map[string]any, key string, depth int) (any, error) {
	if err := c.count(nil, depth); err != nil {
		return nil, err
	}
	expanded := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(schema)) { // sorted, so that every run reports the same fault first
		value, at := schema[name], join(key, name)
		text, isText := value.(string)
		properties, isObject := value.(map[string]any)
		var err error
		switch {
		case slices.Contains(ignored, name):
			continue
		case name == "$ref" && isText:
			value, err = c.refer(doc, text, at, depth+1)
		case name == "enum" || name == "const":
			err = c.count(value, depth)
		case name == "pattern":
			err = c.pattern(text, at)
		case name == "type" && isText && typeNames[text] == "":
			err = wrong(at, State(text), "A type is one of "+strings.Join(slices.Sorted(maps.Keys(typeNames)), ", ")+".")
		case name == "properties" && isObject:
			value, err = c.properties(doc, properties, at, depth+1)
		case !slices.Contains(keywords, name):
			err = wrong(at, "is not a keyword that is read here", "Check its spelling, or leave it out.")
		default:
			value, err = c.expand(doc, value, at, depth+1)
		}
		if err != nil {
			return nil, err
		}
		expanded[name] = value
	}
	if target, ok := expanded["$ref"]; ok {
		all, _ := expanded["allOf"].([]any)
		delete(expanded, "$ref")
		expanded["allOf"] = slices.Insert(all, 0, target)
	}
	return expanded, nil
}

func (c *compiler) properties(doc string, schemas map[string]any, key string, depth int) (any, error) {
	expanded := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		if err := c.count(name, depth); err != nil {
			return nil, err
		}
		schema, err := c.expand(doc, schemas[name], join(key, name), depth)
		if err != nil {
			return nil, err
		}
		expanded[name] = schema
	}
	return expanded, nil
}

// pattern checks a regular expression and counts its instructions. Matching may run all instructions for each
// character.
func (c *compiler) pattern(text, key string) error {
	refused := wrong(key, State(text), fmt.Sprintf("Write a regular expression of at most %d bytes.", maxPattern))
	if len(text) > maxPattern {
		return refused
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return refused
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return refused
	}
	c.instructions += len(program.Inst)
	return c.count(text, 0)
}

// count adds a value to the size of the schema. It fails if the size or the depth is over a limit.
func (c *compiler) count(value any, depth int) error {
	values, bytes := measure(value)
	c.nodes += values + bytes/nodeBytes
	if c.nodes > maxNodes || c.instructions > maxInstructions || depth > MaxDepth {
		return wrong("", "is too complex, or refers to itself", fmt.Sprintf("With every $ref written out, "+
			"keep it under %d levels, %d sub-schemas and values, and %d steps of patterns.", MaxDepth, maxNodes, maxInstructions))
	}
	return nil
}
