package jsonschema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/project/jsonschema"
)

func parse(t *testing.T, text string) any {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func compileText(t *testing.T, text string) (*jsonschema.Schema, error) {
	t.Helper()
	return jsonschema.Compile(map[string]any{"it": parse(t, text)}, "it", "")
}

func compile(t *testing.T, text string) *jsonschema.Schema {
	t.Helper()
	s, err := compileText(t, text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const contact = `{
	"title": "Contact", "description": "Whom to ask.",
	"type": "object", "additionalProperties": false, "required": ["name"],
	"properties": {
		"name": {"$ref": "#/$defs/name"},
		"kind": {"enum": ["team", "person"]},
		"phones": {"type": "array", "maxItems": 2, "items": {"type": "string", "examples": ["030 1234"]}},
		"age": {"type": ["integer", "null"], "minimum": 0},
		"address": {
			"type": "object", "additionalProperties": false, "required": ["town"],
			"properties": {"town": {"type": "string", "minLength": 2, "maxLength": 9}, "since": {"format": "date"}}
		}
	},
	"$defs": {"name": {"type": "string", "minLength": 1, "examples": ["Ada"]}}
}`

func TestSchema_Check(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, value string
		want        []jsonschema.Fault
	}{
		{"valid", `{"name": "a", "kind": "team", "phones": ["1", "2"], "age": null, "address": {"town": "Ulm"}}`, nil},
		{"not an object", `["a"]`, []jsonschema.Fault{{Field: "", Problem: "is a list", Expected: "an object"}}},
		{"missing", `{}`, []jsonschema.Fault{{Field: "name", Problem: "is missing", Expected: "text"}}},
		{"unknown", `{"name": "a", "x": 1}`, []jsonschema.Fault{{
			Field: "x", Problem: "is not a known field", Expected: "one of the fields address, age, kind, name, phones", Unknown: true,
		}}},
		{"values", `{"name": "", "kind": "dog", "phones": ["1", 2, "3"], "age": "old"}`, []jsonschema.Fault{
			{Field: "age", Problem: `is "old"`, Expected: "a whole number or null, minimum 0"},
			{Field: "kind", Problem: `is "dog"`, Expected: "one of team, person"},
			{Field: "name", Problem: "is empty", Expected: "text"},
			{Field: "phones", Problem: "is a list", Expected: "a list of text, maxItems 2"},
			{Field: "phones[1]", Problem: "is 2", Expected: "text"},
		}},
		{"nested", `{"name": "a", "address": {"town": "Llanfairpwll", "since": "May", "twon": 1}}`, []jsonschema.Fault{
			{Field: "address.since", Problem: `is "May"`, Expected: "a date as YYYY-MM-DD"},
			{Field: "address.town", Problem: `is "Llanfairpwll"`, Expected: "text, minLength 2, maxLength 9"},
			{Field: "address.twon", Problem: "is not a known field", Expected: "one of the fields since, town", Unknown: true},
		}},
		{"empty key", `{"name": "a", "": 1}`, []jsonschema.Fault{{
			Field: `""`, Problem: "is not a known field", Expected: "one of the fields address, age, kind, name, phones", Unknown: true,
		}}},
	}
	s := compile(t, contact)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, s.Check(parse(t, tt.value))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The words for a schema, shown by a value that no schema here accepts.
func TestSchema_CheckExpects(t *testing.T) {
	t.Parallel()
	tests := []struct{ schema, want string }{
		{`{"const": 3}`, "3"},
		{`{"enum": ["only"]}`, "one of only"},
		{`{"enum": ["", 1, false]}`, "one of empty, 1, false"},
		{`{"type": "string"}`, "text"},
		{`{"type": "string", "minLength": 3}`, "text, minLength 3"},
		{`{"type": "string", "maxLength": 3}`, "text, maxLength 3"},
		{`{"type": "string", "pattern": "^a"}`, "text, pattern ^a"},
		{`{"type": "string", "format": "email"}`, "text, format email"},
		{`{"type": "boolean"}`, "true or false"},
		{`{"type": "number", "minimum": 0, "maximum": 1}`, "a number, minimum 0, maximum 1"},
		{`{"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5}`, "a number, exclusiveMinimum 0, multipleOf 0.5"},
		{`{"type": "array"}`, "a list"},
		{`{"type": "array", "items": {"type": "integer"}, "minItems": 1}`, "a list of a whole number, minItems 1"},
		{`{"type": ["string", "array"], "items": {"type": "string"}}`, "text or a list of text"},
		{`{"allOf": [{"$ref": "#/$defs/x"}], "$defs": {"x": {"type": "boolean"}}}`, "true or false"},
		{`{"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}`, "text or a list of text"},
		{`{"not": {"type": "object"}}`, "what the schema says"},
		{`{"if": {"type": "object"}, "then": {"type": "boolean"}}`, "what the schema says"},
	}
	for _, tt := range tests {
		t.Run(tt.schema, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, f := range compile(t, tt.schema).Check(map[string]any{}) {
				expected, _, _ := strings.Cut(f.Expected, ":") // the validator's words follow
				got = append(got, expected)
			}
			if diff := cmp.Diff([]string{tt.want}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// An object that fits no branch is told what the validator says.
func TestSchema_CheckAlternatives(t *testing.T) {
	t.Parallel()
	tests := []struct{ schema, value, want string }{
		{`{"anyOf": [{"required": ["a"]}, {"required": ["b", "c"]}]}`, `{"b": 1}`, "anyOf"},
		{`{"type": "object", "if": {"required": ["a"]}, "then": {"required": ["b"]}}`, `{"a": 1}`, `missing properties: ["b"]`},
	}
	for _, tt := range tests {
		faults := compile(t, tt.schema).Check(parse(t, tt.value))
		if len(faults) != 1 || faults[0].Problem != "is an object" || !strings.Contains(faults[0].Expected, tt.want) {
			t.Errorf("%s: %+v, want one that names %s", tt.schema, faults, tt.want)
		}
	}
}

func TestCompile_Refuses(t *testing.T) {
	t.Parallel()
	const (
		copyHere   = ` Copy what it refers to into "$defs" of this file and refer to that, for example {"$ref": "#/$defs/status"}.`
		unread     = ` is not a keyword that is read here. Check its spelling, or leave it out.`
		expression = ` Write a regular expression of at most 1000 bytes.`
		complexity = "the schema is too complex, or refers to itself. With every $ref written out, keep it under 64 levels, 3000 sub-schemas and values, and 20000 steps of patterns."
		unusable   = "the schema cannot be used ("
	)
	twice := func(times int) string { // each level refers twice to the next
		var b strings.Builder
		for i := range times {
			fmt.Fprintf(&b, `"d%d": {"allOf": [{"$ref": "#/$defs/d%[2]d"}, {"$ref": "#/$defs/d%[2]d"}]}, `, i, i+1)
		}
		return fmt.Sprintf(`{"$ref": "#/$defs/d0", "$defs": {%s"d%d": {}}}`, b.String(), times)
	}
	tests := []struct{ name, schema, want string }{
		{"remote reference", `{"items": {"$ref": "http://127.0.0.1:1/x"}}`, `items.$ref is "http://127.0.0.1:1/x", which is not in this file.` + copyHere},
		{"reference to nothing", `{"$ref": "#/$defs/x"}`, `$ref is "#/$defs/x", which is not in this file.` + copyHere},
		{"anchor", `{"$ref": "#x"}`, `$ref is "#x", which is not in this file.` + copyHere},
		{"references that multiply", twice(30), complexity},
		{"wrong type", `{"properties": {"a": {"type": "text"}}}`, `properties.a.type is "text". A type is one of array, boolean, integer, null, number, object, string.`},
		{"wrong keyword", `{"required": "a"}`, unusable},
		{"bad pattern", `{"pattern": "("}`, `pattern is "(".` + expression},
		{"long pattern", `{"pattern": "` + strings.Repeat("a", 1_001) + `"}`, `pattern is "` + strings.Repeat("a", 100) + `".` + expression},
		{"list of properties", `{"properties": ["a"]}`, unusable},
		{"keyword of other schemas", `{"items": {"contains": true}}`, "items.contains" + unread},
		{"depth", strings.Repeat(`{"items":`, jsonschema.MaxDepth+1) + "{}" + strings.Repeat("}", jsonschema.MaxDepth+1), complexity},
		{"texts that multiply", `{"allOf": [{"$ref": "#/$defs/d"}, {"$ref": "#/$defs/d"}], "$defs": {"d": {"const": "` + strings.Repeat("a", 1_600_000) + `"}}}`, complexity},
		{"values", `{"enum": [` + strings.Repeat("1,", 3_000) + `1]}`, complexity},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := compileText(t, tt.schema)
			if _, ok := errors.AsType[*jsonschema.Error](err); !ok {
				t.Fatalf("%v is not a complete *jsonschema.Error", err)
			}
			if got := err.Error(); got != tt.want && (tt.want != unusable || !strings.HasPrefix(got, unusable)) {
				t.Errorf("error is %s\nwant     %s", got, tt.want)
			}
		})
	}
}

// A schema may refer to the files that it is compiled with.
func TestCompile_SeveralFiles(t *testing.T) {
	t.Parallel()
	docs := map[string]any{
		"a.json": parse(t, `{"$defs": {"it": {"$ref": "b.json#/$defs/name"}}}`),
		"b.json": parse(t, `{"$defs": {"name": {"type": "string"}}}`),
	}
	s, err := jsonschema.Compile(docs, "a.json", "/$defs/it")
	if err != nil {
		t.Fatal(err)
	}
	want := []jsonschema.Fault{{Problem: "is 1", Expected: "text"}}
	if diff := cmp.Diff(want, s.Check(1.0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
