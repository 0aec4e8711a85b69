package jsonschema

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Limits on a schema, which may come with a hostile repository. maxCost limits a check.
const (
	MaxDepth        = 64     // nesting of the schema's text
	maxValues       = 2_000  // values in the schema's text
	maxSchemas      = 10_000 // sub-schemas with every $ref written out
	maxPatternBytes = 1_000  // of one regular expression
	// maxPatternSize is the largest number of instructions of a compiled regular expression,
	// and maxPatternSizes that of all of them. Nested repetitions multiply it.
	maxPatternSize  = 5_000
	maxPatternSizes = 100_000
)

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

func tooComplex() *Error {
	return &Error{Problem: "is too complex", Hint: fmt.Sprintf(
		"Keep it under %d values, %d levels, %d steps of patterns and, with every $ref written out, %d sub-schemas "+
			"or %d bytes.", maxValues, MaxDepth, maxPatternSizes, maxSchemas, maxSchemas*costOfSchema/costOfText)}
}

//go:embed keywords.json
var keywordsFile []byte

// keywords compiles the schema of the keywords of a schema.
//
//nolint:gochecknoglobals // it is always the same
var keywords = sync.OnceValues(func() (*Schema, error) {
	var doc any
	if err := json.Unmarshal(keywordsFile, &doc); err != nil {
		return nil, fmt.Errorf("read the keywords of schemas: %w", err)
	}
	return compile(map[string]any{"": doc}, "", nil)
})

// Compile compiles the document called entry. docs maps file names to documents as [encoding/json]
// decodes into any; entry may refer only to these. fragment is a JSON pointer into entry, or "".
// The error is an [*Error] about entry.
func Compile(docs map[string]any, entry, fragment string) (*Schema, error) {
	for _, doc := range docs {
		if values := 0; !countValues(doc, MaxDepth, &values) {
			return nil, tooComplex()
		}
	}
	known, err := keywords()
	if err != nil {
		return nil, err
	}
	return compile(docs, entry+"#"+fragment, known)
}

func compile(docs map[string]any, ref string, keywords *Schema) (*Schema, error) {
	c := compiler{docs: docs, keywords: keywords, compiled: map[string]*Schema{}}
	if s := c.refer(ref, place{}); c.err == nil {
		return s, nil
	}
	return nil, c.err
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

// compiler compiles what a document refers to. Nothing is read after the first fault, err.
type compiler struct {
	docs     map[string]any
	keywords *Schema            // nil for trust
	compiled map[string]*Schema // by place; nil while it is read
	patterns int                // instructions of the regular expressions
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
func (c *compiler) fail(at place, problem, expected string) {
	c.setError(at, problem, "JSON Schema wants "+expected+` here. `+
		`Compare it with {"type": "object", "required": ["title"], "properties": {"title": {"type": "string"}}}.`)
}

func (c *compiler) setError(at place, problem, hint string) {
	if c.err == nil {
		c.err = &Error{Key: spell(c.docs[at.doc], at.at), Problem: problem, Hint: hint}
	}
}

// read returns the schema at a place.
func (c *compiler) read(p place) *Schema {
	s, known := c.compiled[p.String()]
	switch {
	case c.err != nil || s != nil:
		return s
	case known:
		c.setError(place{}, "has a $ref that refers to itself, directly or through others", "Write the nested levels out.")
		return nil
	}
	c.compiled[p.String()] = nil
	s = &Schema{perValue: costOfSchema, perByte: 1}
	switch value := ValueAt(c.docs[p.doc], p.at).(type) {
	case bool:
		s.forbids = !value
	case map[string]any:
		c.checkKeywords(value, p)
		c.readOwn(s, value, p)
		c.readBelow(s, value, p)
	default:
		c.fail(p, State(value), "an object, true or false")
	}
	if s.perValue > maxSchemas*costOfSchema && c.err == nil {
		c.err = tooComplex()
	}
	c.compiled[p.String()] = s
	return s
}

// checkKeywords checks the keywords of a schema, and their values but for schemas.
func (c *compiler) checkKeywords(schema map[string]any, p place) {
	if c.keywords == nil || c.err != nil {
		return
	}
	for _, f := range c.keywords.Check(schema) {
		switch at := p.below(f.Path...); {
		case f.Meant != "":
			c.setError(at, "is not a known keyword", fmt.Sprintf("Did you mean %q?", f.Meant))
		case f.Unknown:
			c.setError(at, "is a keyword that is not read here",
				"These are: "+strings.Join(c.keywords.Keys(nil), ", ")+".")
		default:
			c.fail(at, f.Problem, f.Expected)
		}
	}
}

// readOwn reads what a schema says of a value as a whole.
func (c *compiler) readOwn(s *Schema, schema map[string]any, p place) {
	own := maps.Clone(schema)
	for _, key := range []string{
		"$schema", "$id", "$defs", "definitions", "$ref", "default", "allOf", "anyOf", "oneOf", "not", "if", "then", "else",
		"properties", "items", "additionalProperties",
	} {
		delete(own, key)
	}
	text, err := json.Marshal(own)
	if err == nil && c.err == nil {
		err = json.Unmarshal(text, &s.own)
	}
	s.perValue += costOfText * float64(len(text))
	c.readTypes(s, p)
	if s.own.Pattern != "" {
		c.readPattern(s, p.below("pattern"))
	}
	checked := s.own
	checked.Required = nil
	if err == nil && c.err == nil {
		s.checks, err = checked.Resolve(nil)
	}
	if err != nil {
		c.fail(p, fmt.Sprintf("cannot be used (%v)", err), "keywords with values of their types")
	}
}

// readTypes sorts the types of a schema into the order in which they are described.
func (c *compiler) readTypes(s *Schema, p place) {
	order := []string{"null", "boolean", "number", "integer", "string", "array", "object"}
	if s.own.Type != "" {
		s.own.Types, s.own.Type = []string{s.own.Type}, ""
	}
	for _, name := range s.own.Types {
		if !slices.Contains(order, name) {
			c.fail(p.below("type"), State(name), "one of "+strings.Join(slices.Sorted(slices.Values(order)), ", "))
		}
	}
	slices.SortFunc(s.own.Types, func(a, b string) int { return slices.Index(order, a) - slices.Index(order, b) })
}

// readPattern checks the size of a regular expression before it is compiled, which takes memory in
// proportion to it.
func (c *compiler) readPattern(s *Schema, at place) {
	text := s.own.Pattern
	parsed, err := syntax.Parse(text[:min(len(text), maxPatternBytes)], syntax.Perl)
	if err != nil || len(text) > maxPatternBytes || programSize(parsed) > maxPatternSize {
		c.fail(at, State(text), fmt.Sprintf("a regular expression of at most %d bytes and %d steps", maxPatternBytes, maxPatternSize))
		return
	}
	size := programSize(parsed)
	s.perByte += costOfInstruction * float64(size)
	if c.patterns += size; c.patterns > maxPatternSizes && c.err == nil {
		c.err = tooComplex()
	}
}

// programSize estimates the number of instructions of a regular expression, which is its cost
// for each character of a text.
func programSize(re *syntax.Regexp) int {
	size := 1 + len(re.Rune)
	if re.Op == syntax.OpCharClass {
		size = 1 + len(re.Rune)/8
	}
	for _, sub := range re.Sub {
		size += programSize(sub)
	}
	if re.Op == syntax.OpRepeat {
		size *= max(re.Max, re.Min+1, 1)
	}
	return min(size, 1<<30)
}

// readBelow reads the schemas below one, and those that it refers to.
func (c *compiler) readBelow(s *Schema, schema map[string]any, p place) {
	read := func(sub *Schema) *Schema {
		if sub != nil {
			s.perValue, s.perByte = s.perValue+sub.perValue, s.perByte+sub.perByte
		}
		return sub
	}
	if ref, ok := schema["$ref"].(string); ok {
		s.allOf = append(s.allOf, read(c.refer(ref, p.below("$ref"))))
	}
	list := func(key string) (subs []*Schema) {
		items, _ := schema[key].([]any)
		for i := range items {
			subs = append(subs, read(c.read(p.below(key, strconv.Itoa(i)))))
		}
		return subs
	}
	one := func(key string) *Schema {
		if _, ok := schema[key]; !ok {
			return nil
		}
		return read(c.read(p.below(key)))
	}
	s.allOf, s.anyOf, s.oneOf = append(s.allOf, list("allOf")...), list("anyOf"), list("oneOf")
	s.not, s.condition, s.then, s.otherwise = one("not"), one("if"), one("then"), one("else")
	s.items, s.additional = one("items"), one("additionalProperties")
	properties, _ := schema["properties"].(map[string]any)
	s.properties = map[string]*Schema{}
	for _, name := range slices.Sorted(maps.Keys(properties)) { // so that the same fault is the first each time
		s.properties[name] = read(c.read(p.below("properties", name)))
	}
}

// refer returns the schema that a $ref at a place points to: a file name, "#" and a JSON pointer.
func (c *compiler) refer(ref string, from place) *Schema {
	name, pointer, _ := strings.Cut(ref, "#")
	if name == "" {
		name = from.doc
	}
	value, known := c.docs[name]
	if !known {
		c.setError(from, fmt.Sprintf("is %q, which points outside the file", cut(ref)),
			`Copy what it refers to into "$defs" of this file and refer to that, for example {"$ref": "#/$defs/status"}.`)
		return nil
	}
	to := place{doc: name}
	if pointer == "" {
		return c.read(to)
	}
	decoded, err := url.PathUnescape(pointer)
	steps := strings.Split(decoded, "/")
	for _, step := range steps[1:] {
		to.at = append(to.at, strings.NewReplacer("~1", "/", "~0", "~").Replace(step))
	}
	if value = ValueAt(value, to.at); err != nil || steps[0] != "" || value == nil {
		c.setError(place{}, fmt.Sprintf("has the $ref %q, and there is nothing at that place", cut(ref)),
			`Point to a part of this file, for example {"$ref": "#/$defs/status"}.`)
		return nil
	}
	return c.read(to)
}
