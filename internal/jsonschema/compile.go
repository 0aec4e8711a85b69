package jsonschema

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Limits on a schema, which may come with a hostile repository. maxCost limits a check.
const (
	MaxDepth        = 64      // nesting of the schema's text
	maxValues       = 2_000   // values in the schema's text
	maxSteps        = 10_000  // sub-schemas with every $ref written out
	maxTexts        = 200_000 // bytes of everything else with every $ref written out
	maxPatterns     = 100     // regular expressions with every $ref written out
	maxPatternBytes = 1_000   // of one regular expression
	// maxPatternSize is the largest number of instructions of a compiled regular
	// expression. Nested repetitions multiply it.
	maxPatternSize = 5_000
)

// Compile compiles the document called entry. docs maps file names to documents as [encoding/json]
// decodes into any; entry may refer only to these. fragment is a JSON pointer into entry, or "".
// The error is an [*Error] about entry.
func Compile(docs map[string]any, entry, fragment string) (*Schema, error) {
	for _, doc := range docs {
		if values := 0; !countValues(doc, MaxDepth, &values) {
			return nil, tooComplex()
		}
	}
	c := compiler{docs: docs, patterns: map[string]int{}}
	root := c.refer("#"+fragment, place{doc: entry})
	s := &Schema{root: root, parts: map[*jsonschema.Schema]part{}, size: c.size}
	if c.err == nil {
		c.split(root, s.parts)
	}
	if c.err != nil {
		return nil, c.err
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
	below, _ := v.([]any)
	if object, ok := v.(map[string]any); ok {
		below = slices.Collect(maps.Values(object))
	}
	return !slices.ContainsFunc(below, func(v any) bool { return !countValues(v, depth-1, n) })
}

// compiler writes out what entry refers to. Nothing is read after the first fault, err.
type compiler struct {
	docs     map[string]any
	open     []string       // the places that are being read
	patterns map[string]int // the sizes of regular expressions that compile
	number   int            // of regular expressions
	size     size
	err      error
}

// place is where a value stands: the keys and indexes that lead to it in a document.
type place struct {
	doc string
	at  []string
}

func (p place) below(steps ...string) place { return place{doc: p.doc, at: slices.Concat(p.at, steps)} }

func (p place) String() string { return p.doc + "#" + strings.Join(p.at, "\x00") }

// fail sets the error for a value that JSON Schema does not allow at a place.
func (c *compiler) fail(at place, value any, expected string) {
	if c.err == nil {
		c.err = &Error{
			Key: spell(c.docs[at.doc], at.at), Problem: State(value), Hint: "JSON Schema wants " + expected + " here. " + compareHint,
		}
	}
}

// read reads the schema at a place.
func (c *compiler) read(p place) *jsonschema.Schema {
	if c.size.steps++; c.err == nil && c.size.steps > maxSteps {
		c.err = tooComplex()
	}
	s := &jsonschema.Schema{}
	switch value := ValueAt(c.docs[p.doc], p.at).(type) {
	case bool:
		if !value {
			s.Not = &jsonschema.Schema{}
		}
	case map[string]any:
		if slices.Contains(c.open, p.String()) && c.err == nil {
			c.err = &Error{
				Problem: "has a $ref that refers to itself, directly or through others", Hint: "Write the nested levels out.",
			}
		}
		c.open = append(c.open, p.String())
		rest := maps.Clone(value)
		for _, key := range slices.Sorted(maps.Keys(value)) { // so that the same fault is the first each time
			if c.err == nil && (c.below(s, key, value[key], p.below(key)) || c.special(s, key, value[key], p.below(key))) {
				delete(rest, key)
			}
		}
		c.plain(s, rest, p)
		c.open = c.open[:len(c.open)-1]
	default:
		c.fail(p, value, "an object, true or false")
	}
	return s
}

// below reads a keyword whose value is one or several schemas. It reports false for others.
func (c *compiler) below(s *jsonschema.Schema, key string, value any, at place) bool {
	switch field := fieldOf(s, key).(type) {
	case **jsonschema.Schema:
		*field = c.read(at)
	case *[]*jsonschema.Schema:
		list, isList := value.([]any)
		if !isList {
			c.fail(at, value, "a list of schemas")
		}
		for i := range list {
			*field = append(*field, c.read(at.below(strconv.Itoa(i))))
		}
	case *map[string]*jsonschema.Schema:
		object, isObject := value.(map[string]any)
		if !isObject {
			c.fail(at, value, "an object")
		}
		*field = map[string]*jsonschema.Schema{}
		for _, name := range slices.Sorted(maps.Keys(object)) {
			(*field)[name] = c.read(at.below(name))
			if c.size.texts += len(name); key == "patternProperties" {
				c.pattern(name, at.below(name))
			}
		}
	default:
		return false
	}
	return true
}

// fieldOf returns a pointer to the field of a keyword whose value is one or several schemas, else nil.
func fieldOf(s *jsonschema.Schema, key string) any {
	switch key {
	case "items":
		return &s.Items
	case "contains":
		return &s.Contains
	case "additionalProperties":
		return &s.AdditionalProperties
	case "propertyNames":
		return &s.PropertyNames
	case "not":
		return &s.Not
	case "if":
		return &s.If
	case "then":
		return &s.Then
	case "else":
		return &s.Else
	case "allOf":
		return &s.AllOf
	case "anyOf":
		return &s.AnyOf
	case "oneOf":
		return &s.OneOf
	case "prefixItems":
		return &s.PrefixItems
	case "properties":
		return &s.Properties
	case "patternProperties":
		return &s.PatternProperties
	case "dependentSchemas":
		return &s.DependentSchemas
	default:
		return nil
	}
}

// special reads a keyword that is resolved, refused or ignored. It reports false for others.
func (c *compiler) special(s *jsonschema.Schema, key string, value any, at place) bool {
	switch key {
	case "$defs", "definitions", "$schema", "$id", "id", "$anchor", "$comment", "default", "contentSchema":
		return true
	case "$ref":
		if ref, ok := value.(string); ok {
			s.AllOf = slices.Insert(s.AllOf, 0, c.refer(ref, at))
		} else {
			c.fail(at, value, "text")
		}
		return true
	case "$dynamicRef", "$recursiveRef", "unevaluatedItems", "unevaluatedProperties", "additionalItems", "dependencies":
		c.err = &Error{
			Key: spell(c.docs[at.doc], at.at), Problem: "is a keyword that is not read here",
			Hint: `Write "$ref", "items", "prefixItems", "additionalProperties" or "dependentRequired" in its place.`,
		}
		return true
	default:
		return false
	}
}

// plain reads the other keywords of the schema at a place.
func (c *compiler) plain(s *jsonschema.Schema, keywords map[string]any, p place) {
	if c.err != nil || len(keywords) == 0 {
		return
	}
	text, err := json.Marshal(keywords)
	if c.size.texts += len(text); c.size.texts > maxTexts {
		c.err = tooComplex()
		return
	}
	wrong := err != nil || json.Unmarshal(text, s) != nil
	for _, key := range slices.Sorted(maps.Keys(keywords)) {
		number, isNumber := numberOf(keywords[key])
		tooSmall := isNumber && (key == "multipleOf" && number <= 0 || isCount(key) && number < 0)
		if tooSmall || wrong && !decodes(key, keywords[key]) {
			c.fail(p.below(key), keywords[key], expectedOf(key))
		}
	}
	if _, given := keywords["type"]; given {
		c.types(s, keywords["type"], p.below("type"))
	}
	if s.Pattern != "" {
		c.pattern(s.Pattern, p.below("pattern"))
	}
	if pattern, known := formats[s.Format]; known {
		s.AllOf = append(s.AllOf, &jsonschema.Schema{Format: s.Format, Pattern: pattern})
	}
}

// decodes reports whether a keyword has a value of its type.
func decodes(key string, value any) bool {
	text, err := json.Marshal(map[string]any{key: value})
	return err == nil && json.Unmarshal(text, &jsonschema.Schema{}) == nil
}

// isCount says that the value of a keyword is a number of characters, items or properties.
func isCount(key string) bool {
	return strings.HasSuffix(key, "Length") || strings.HasSuffix(key, "Items") && key != "uniqueItems" ||
		strings.HasSuffix(key, "Properties") || strings.HasSuffix(key, "Contains")
}

// expectedOf says what the value of a keyword is.
func expectedOf(key string) string {
	switch key {
	case "required":
		return "a list of text"
	case "enum", "examples":
		return "a list"
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return "a number"
	case "multipleOf":
		return "a number above 0"
	case "uniqueItems":
		return "true or false"
	}
	if isCount(key) {
		return fmt.Sprintf("a whole number from 0 to %d", math.MaxInt32)
	}
	return "text"
}

// types sorts the types of a schema into the order in which they are described.
func (c *compiler) types(s *jsonschema.Schema, value any, at place) {
	order := []string{"null", "boolean", "number", "integer", "string", "array", "object"}
	if s.Type != "" {
		s.Types, s.Type = []string{s.Type}, ""
	}
	if slices.ContainsFunc(s.Types, func(name string) bool { return !slices.Contains(order, name) }) {
		c.fail(at, value, "one of "+strings.Join(slices.Sorted(slices.Values(order)), ", "))
	}
	slices.SortFunc(s.Types, func(a, b string) int { return slices.Index(order, a) - slices.Index(order, b) })
}

// refer reads the schema that a $ref at a place points to: a file name, "#" and a JSON pointer.
func (c *compiler) refer(ref string, from place) *jsonschema.Schema {
	name, pointer, _ := strings.Cut(ref, "#")
	if name == "" {
		name = from.doc
	}
	value, known := c.docs[name]
	if !known {
		c.err = &Error{
			Key: spell(c.docs[from.doc], from.at), Problem: fmt.Sprintf("is %q, which points outside the file", cut(ref)),
			Hint: `Copy what it refers to into "$defs" of this file and refer to that, for example {"$ref": "#/$defs/status"}.`,
		}
		return nil
	}
	to := place{doc: name}
	if pointer != "" {
		decoded, err := url.PathUnescape(pointer)
		steps := strings.Split(decoded, "/")
		for _, step := range steps[1:] {
			to.at = append(to.at, strings.NewReplacer("~1", "/", "~0", "~").Replace(step))
		}
		if value = ValueAt(value, to.at); err != nil || steps[0] != "" || value == nil {
			c.err = &Error{
				Problem: fmt.Sprintf("has the $ref %q, and there is nothing at that place", cut(ref)),
				Hint:    `Point to a part of this file, for example {"$ref": "#/$defs/status"}.`,
			}
			return nil
		}
	}
	return c.read(to)
}
