package jsonschema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/compound-docs/compound-docs/internal/jsonschema"
)

func parse(t *testing.T, text string) any {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func compile(t *testing.T, text string) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.Compile(map[string]any{"it": parse(t, text)}, "it", "")
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
		want        []jsonschema.Finding
	}{
		{"valid", `{"name": "a", "kind": "team", "phones": ["1", "2"], "age": null, "address": {"town": "Ulm"}}`, nil},
		{"not an object", `["a"]`, []jsonschema.Finding{
			{Violation: jsonschema.Violation{Field: "", Problem: "is a list", Expected: "an object"}},
		}},
		{"missing", `{}`, []jsonschema.Finding{
			{Violation: jsonschema.Violation{Field: "name", Problem: "is missing", Expected: "text"}, Path: []string{"name"}},
		}},
		{"misspelt", `{"Name": "a"}`, []jsonschema.Finding{
			{
				Violation: jsonschema.Violation{Field: "Name", Problem: "is not a known field", Expected: "name"},
				Path:      []string{"Name"}, Unknown: true, Meant: "name",
			},
			{Violation: jsonschema.Violation{Field: "name", Problem: `is missing; is "Name" meant?`, Expected: "text"}, Path: []string{"name"}},
		}},
		{"unknown", `{"name": "a", "x": 1}`, []jsonschema.Finding{{
			Violation: jsonschema.Violation{
				Field: "x", Problem: "is not a known field", Expected: "one of the fields address, age, kind, name, phones",
			},
			Path: []string{"x"}, Unknown: true,
		}}},
		{"values", `{"name": "", "kind": "dog", "phones": ["1", 2, "3"], "age": "old"}`, []jsonschema.Finding{
			{
				Violation: jsonschema.Violation{Field: "age", Problem: `is "old"`, Expected: "null or a whole number of at least 0"},
				Path:      []string{"age"},
			},
			{Violation: jsonschema.Violation{Field: "kind", Problem: `is "dog"`, Expected: "one of team, person"}, Path: []string{"kind"}},
			{Violation: jsonschema.Violation{Field: "name", Problem: "is empty", Expected: "text"}, Path: []string{"name"}},
			{
				Violation: jsonschema.Violation{Field: "phones", Problem: "has 3 entries", Expected: "a list of text, at most 2"},
				Path:      []string{"phones"},
			},
			{Violation: jsonschema.Violation{Field: "phones[1]", Problem: "is 2", Expected: "text, in quotes"}, Path: []string{"phones", "[1]"}},
		}},
		{"nested", `{"name": "a", "address": {"town": "Llanfairpwll", "since": "May", "twon": 1}}`, []jsonschema.Finding{
			{
				Violation: jsonschema.Violation{Field: "address.since", Problem: `is "May"`, Expected: "a date as YYYY-MM-DD"},
				Path:      []string{"address", "since"},
			},
			{
				Violation: jsonschema.Violation{Field: "address.town", Problem: "has 12 characters", Expected: "text of 2 to 9 characters"},
				Path:      []string{"address", "town"},
			},
			{
				Violation: jsonschema.Violation{Field: "address.twon", Problem: "is not a known field", Expected: "town"},
				Path:      []string{"address", "twon"}, Unknown: true, Meant: "town",
			},
		}},
	}
	s := compile(t, contact)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, s.Check(parse(t, tt.value)), cmpopts.IgnoreFields(jsonschema.Finding{}, "Known", "Example")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What the words for a schema are, told by a value that no schema here accepts.
func TestSchema_CheckExpects(t *testing.T) {
	t.Parallel()
	tests := []struct{ schema, want string }{
		{`{"const": 3}`, "3"},
		{`{"enum": ["only"]}`, "only"},
		{`{"enum": ["", 1, false]}`, "one of empty, 1, false"},
		{`{"type": "string"}`, "text"},
		{`{"type": "string", "minLength": 3}`, "text of at least 3 characters"},
		{`{"type": "string", "maxLength": 3}`, "text of at most 3 characters"},
		{`{"type": "string", "pattern": "^a"}`, "text that matches ^a"},
		{`{"type": "string", "format": "date-time"}`, "a date and time as 2025-01-31T09:30:00Z"},
		{`{"type": "string", "format": "email"}`, "text in the format email"},
		{`{"type": "boolean"}`, "true or false"},
		{`{"type": "number", "minimum": 0, "maximum": 1}`, "a number from 0 to 1"},
		{`{"type": "integer", "maximum": 5}`, "a whole number of at most 5"},
		{`{"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5}`, "a number above 0 in steps of 0.5"},
		{`{"type": "array"}`, "a list"},
		{`{"type": "array", "items": {"type": "integer"}, "minItems": 1}`, "a list, each entry a whole number, at least 1"},
		{`{"type": ["string", "array"], "items": {"type": "string"}}`, "text or a list of text"},
		{`{"allOf": [{"$ref": "#/$defs/x"}], "$defs": {"x": {"type": "boolean"}}}`, "true or false"},
		{`{"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}`, "text or a list of text"},
		{`{"oneOf": [{"type": "string"}, {"type": "object"}, {"type": "object"}]}`, "text or an object or an object"},
		{`{"not": {"type": "object"}}`, "what the schema says"},
		{`{"if": {"type": "object"}, "then": {"type": "boolean"}}`, "true or false"},
		{`{"minimum": 9, "type": "integer"}`, "a whole number of at least 9"},
	}
	for _, tt := range tests {
		t.Run(tt.schema, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, f := range compile(t, tt.schema).Check(map[string]any{}) {
				got = append(got, f.Expected)
			}
			if diff := cmp.Diff([]string{tt.want}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A finding has what helps to mend it, from the schema of its place.
func TestSchema_CheckHelps(t *testing.T) {
	t.Parallel()
	s := compile(t, contact)
	if diff := cmp.Diff([]string{"Contact", "Whom to ask."}, []string{s.Title(), s.Description()}); diff != "" {
		t.Error(diff)
	}
	findings := s.Check(parse(t, `{"nam": "a", "phones": [7], "address": {"town": "Ulm", "x": 1}}`))
	type help struct {
		Field   string
		Known   []string
		Example any
	}
	var got []help
	for _, f := range findings {
		got = append(got, help{f.Field, f.Known, f.Example})
	}
	want := []help{
		{"address.x", []string{"since", "town"}, nil},
		{"nam", []string{"address", "age", "kind", "name", "phones"}, "Ada"},
		{"name", nil, "Ada"},
		{"phones[0]", nil, "030 1234"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A value that fits no branch is told what each of them wants.
func TestSchema_CheckAlternatives(t *testing.T) {
	t.Parallel()
	const alternatives = "fits none of the alternatives, or more than one"
	tests := []struct {
		schema, value string
		want          []jsonschema.Violation
	}{
		{`{"anyOf": [{"required": ["a"]}, {"required": ["b", "c"]}]}`, `{"b": 1}`, []jsonschema.Violation{
			{Problem: alternatives, Expected: "an object with a or an object with b and c"},
		}},
		{
			`{"oneOf": [{"required": ["kind"], "properties": {"kind": {"const": "team"}}}, {"required": ["kind", "age"], "properties": {"kind": {"enum": ["x", "y"]}}}]}`,
			`{"kind": "dog"}`, []jsonschema.Violation{
				{Problem: alternatives, Expected: "an object with kind: team or an object with kind: one of x, y and age"},
			},
		},
		{`{"properties": {"a": {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}]}}}`, `{"a": "b"}`, []jsonschema.Violation{
			{Field: "a", Problem: `is "b"`, Expected: "a whole number or a list, each entry a whole number"},
		}},
		{`{"if": {"properties": {"a": {"const": 1}}}, "then": {"required": ["b"]}, "else": {"required": ["c"]}}`, `{"a": 1}`, []jsonschema.Violation{
			{Field: "b", Problem: "is missing", Expected: "a value"},
		}},
	}
	for _, tt := range tests {
		var got []jsonschema.Violation
		for _, f := range compile(t, tt.schema).Check(parse(t, tt.value)) {
			got = append(got, f.Violation)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.schema, diff)
		}
	}
}

func TestCompile_Refuses(t *testing.T) {
	t.Parallel()
	const (
		copyHere   = ` Copy what it refers to into "$defs" of this file and refer to that, for example {"$ref": "#/$defs/status"}.`
		compare    = ` Compare it with {"type": "object", "required": ["title"], "properties": {"title": {"type": "string"}}}.`
		complexity = "the schema is too complex, or refers to itself. With every $ref written out, keep it under 64 levels, 3000 sub-schemas and values, and 20000 steps of patterns."
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
		{"reference to a file", `{"$ref": "../../.git/config"}`, `$ref is "../../.git/config", which is not in this file.` + copyHere},
		{"reference to nothing", `{"$ref": "#/$defs/x"}`, `$ref is "#/$defs/x", which is not in this file.` + copyHere},
		{"anchor", `{"$ref": "#x"}`, `$ref is "#x", which is not in this file.` + copyHere},
		{"recursion", `{"items": {"$ref": "#"}}`, complexity},
		{"references that multiply", twice(30), complexity},
		{"wrong type", `{"properties": {"a": {"type": "text"}}}`, `properties.a.type is "text". JSON Schema wants one of null, boolean, number, integer, string, array, object here.` + compare},
		{"wrong keyword", `{"required": "a"}`, `required is a string. JSON Schema wants another type here.` + compare},
		{"bad pattern", `{"pattern": "("}`, `pattern is "(". JSON Schema wants a regular expression of at most 1000 bytes here.` + compare},
		{"long pattern", `{"pattern": "` + strings.Repeat("a", 1_001) + `"}`, `pattern is "` + strings.Repeat("a", 60) + `"…. JSON Schema wants a regular expression of at most 1000 bytes here.` + compare},
		{"list as a schema", `{"allOf": [{"items": []}]}`, `allOf[0].items is empty. JSON Schema wants an object, true or false here.` + compare},
		{"list of properties", `{"properties": ["a"]}`, `properties[0] is "a". JSON Schema wants an object, true or false here.` + compare},
		{"keyword of other schemas", `{"items": {"contains": true}}`, `items.contains is not a keyword that is read here. Check its spelling, or leave it out.`},
		{"misspelt keyword", `{"requierd": ["a"]}`, `requierd is not a keyword that is read here. Did you mean "required"?`},
		{"depth", strings.Repeat(`{"items":`, jsonschema.MaxDepth+1) + "{}" + strings.Repeat("}", jsonschema.MaxDepth+1), complexity},
		{"values", `{"enum": [` + strings.Repeat("1,", 3_000) + `1]}`, complexity},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := jsonschema.Compile(map[string]any{"it": parse(t, tt.schema)}, "it", "")
			if _, ok := errors.AsType[*jsonschema.Error](err); !ok {
				t.Fatalf("%v is not a complete *jsonschema.Error", err)
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
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
	want := []jsonschema.Finding{{Violation: jsonschema.Violation{Problem: "is 1", Expected: "text, in quotes"}}}
	if diff := cmp.Diff(want, s.Check(1.0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestValueAt(t *testing.T) {
	t.Parallel()
	value := parse(t, `{"a": [1], "b": {"c": 1}, "c": null}`)
	tests := []struct {
		path string
		want any
	}{
		{"b/c", 1.0},
		{"a/0", nil},
		{"b/d", nil},
		{"c", nil},
		{"c/d", nil},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, jsonschema.ValueAt(value, strings.Split(tt.path, "/"))); diff != "" {
			t.Errorf("%s: %s", tt.path, diff)
		}
	}
}
