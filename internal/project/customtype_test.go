package project_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/project"
)

// customRepo makes a repository with the doc-type api-contract, whose schema is the given file.
func customRepo(t *testing.T, schemaFile, schema string) string {
	t.Helper()
	return newRepo(t, map[string]string{
		configPath: fmt.Sprintf(`{"project_name": "a", "custom_doc_types":
			[{"name": "api-contract", "folder": "api-contracts", "schema_file": "./schemas/%s"}]}`, schemaFile),
		"csharp-compounding-docs/schemas/" + schemaFile: schema,
	})
}

func customType(t *testing.T, root string) project.DocType {
	t.Helper()
	dt, ok := mustLoad(t, root).DocTypeOf("csharp-compounding-docs/api-contracts/x.md")
	if !ok {
		t.Fatal("no doc-type api-contract")
	}
	return dt
}

const shortForm = `
name: api-contract
description: API design decisions
required_fields:
  - {name: endpoint, type: string, description: Method and path}
  - {name: status, type: enum, values: [draft, 1, true]}
optional_fields:
  - {name: consumers, type: array}
  - {name: methods, type: array, values: [GET, POST]}
  - {name: public, type: boolean}
  - {name: version, type: integer}
  - {name: latency, type: number}
  - {name: since, type: date}
`

func TestDocType_ShortForm(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		frontMatter map[string]any
		want        []project.Violation
	}{
		{"least", map[string]any{"title": "x", "endpoint": "GET /", "status": "draft"}, nil},
		{"all", map[string]any{
			"title": "x", "endpoint": "GET /", "status": true, "consumers": []any{"a", 1}, "methods": []any{"GET"}, "public": false,
			"version": 3, "latency": 0.5, "since": "2025-01-01", "doc_type": "api-contract",
		}, nil},
		{"common fields are always allowed", map[string]any{
			"title": "x", "endpoint": "GET /", "status": 1, "date": "2025-01-01", "summary": "s", "significance": "of my own",
			"tags": []any{"a"}, "related_docs": []any{"b.md"}, "supersedes": "c.md", "promotion_level": "important",
		}, nil},
		{"nothing", nil, []project.Violation{
			{Field: "endpoint", Problem: "is missing", Expected: "text"},
			{Field: "status", Problem: "is missing", Expected: "one of draft, 1, true"},
			{Field: "title", Problem: "is missing", Expected: "text"},
		}},
		{"everything wrong", map[string]any{
			"title": nil, "endpoint": "", "status": "final", "consumers": "a", "methods": []any{"PUT"}, "public": "yes", "version": 1.5,
			"latency": "fast", "since": "2025", "doc_type": "problem", "promotion_level": "top", "tags": "x", "date": "today",
		}, []project.Violation{
			{Field: "consumers", Problem: `is "a"`, Expected: "a list"},
			{Field: "date", Problem: `is "today"`, Expected: "a date as YYYY-MM-DD"},
			{Field: "doc_type", Problem: `is "problem"`, Expected: "api-contract, as the folder api-contracts says"},
			{Field: "endpoint", Problem: "is empty", Expected: "text"},
			{Field: "latency", Problem: `is "fast"`, Expected: "a number"},
			{Field: "methods[0]", Problem: `is "PUT"`, Expected: "one of GET, POST"},
			{Field: "promotion_level", Problem: `is "top"`, Expected: "one of standard, important, critical"},
			{Field: "public", Problem: `is "yes"`, Expected: "true or false"},
			{Field: "since", Problem: `is "2025"`, Expected: "a date as YYYY-MM-DD"},
			{Field: "status", Problem: `is "final"`, Expected: "one of draft, 1, true"},
			{Field: "tags", Problem: `is "x"`, Expected: "a list of text"},
			{Field: "title", Problem: "is empty", Expected: "text"},
			{Field: "version", Problem: "is 1.5", Expected: "a whole number"},
		}},
	}
	dt := customType(t, customRepo(t, "a.yaml", shortForm))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(append([]project.Violation{}, tt.want...), dt.Validate(tt.frontMatter)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDocType_WithoutSchema(t *testing.T) {
	t.Parallel()
	root := newRepo(t, withConfig(`{"project_name": "a", "custom_doc_types": [{"name": "api-contract", "folder": "api-contracts"}]}`))
	dt := customType(t, root)
	want := []project.Violation{
		{Field: "promotion_level", Problem: `is "top"`, Expected: "one of standard, important, critical"},
		{Field: "title", Problem: "is missing", Expected: "text"},
	}
	if diff := cmp.Diff(want, dt.Validate(map[string]any{"promotion_level": "top", "anything": 1})); diff != "" {
		t.Error(diff)
	}
	if got := dt.Validate(map[string]any{"title": "x"}); len(got) != 0 {
		t.Error(got)
	}
}

const closedJSONSchema = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"type": "object",
	"additionalProperties": false,
	"required": ["endpoint"],
	"properties": {
		"endpoint": {"$ref": "#/$defs/endpoint"},
		"status": {"enum": ["draft", "final"]},
		"note": {"type": ["string", "null"]},
		"owner": {"type": "object", "required": ["email"], "properties": {"email": {"type": "string", "format": "email"}}},
		"version": {"type": "integer", "minimum": 1, "maximum": 9},
		"ratio": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
		"code": {"type": "string", "minLength": 3, "maxLength": 5},
		"ids": {"type": "array", "items": {"type": "integer"}, "uniqueItems": true, "maxItems": 3},
		"since": {"type": "string", "format": "date-time"},
		"contact": {"type": ["string", "integer"]},
		"step": {"type": "number", "multipleOf": 0.5}
	},
	"$defs": {"endpoint": {"type": "string", "pattern": "^(GET|POST) /"}}
}`

func TestDocType_JSONSchema(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		frontMatter map[string]any
		want        []project.Violation
	}{
		{"valid, no title needed", map[string]any{"endpoint": "GET /x", "note": nil}, nil},
		{"common fields in a closed schema", map[string]any{
			"endpoint": "GET /x", "title": "t", "tags": []any{"a"}, "promotion_level": "critical", "doc_type": "api-contract",
		}, nil},
		{"promotion level is checked", map[string]any{"endpoint": "GET /x", "promotion_level": "top"}, []project.Violation{
			{Field: "promotion_level", Problem: `is "top"`, Expected: "one of standard, important, critical"},
		}},
		{"nothing", nil, []project.Violation{{Field: "endpoint", Problem: "is missing", Expected: "text that matches ^(GET|POST) /"}}},
		{"unknown fields", map[string]any{"endpoint": "GET /x", "statsu": "draft", "colour": 1}, []project.Violation{
			{Field: "colour", Problem: "is not a known field", Expected: "one of the fields code, contact, endpoint, ids, note, owner, ratio, since, status, step, version"},
			{Field: "statsu", Problem: "is not a known field", Expected: "status"},
		}},
		{"values", map[string]any{
			"endpoint": "PUT /x", "version": 10, "ratio": 1.0, "code": "abcdef", "ids": []any{1, 1, 2, 3}, "since": "2025-06-31T09:30:00Z",
			"owner": map[string]any{"email": "nobody"}, "contact": []any{"x"}, "step": 0.75,
		}, []project.Violation{
			{Field: "code", Problem: "has 6 characters", Expected: "text of 3 to 5 characters"},
			{Field: "contact", Problem: "is a list", Expected: "a whole number or text"},
			{Field: "endpoint", Problem: `is "PUT /x"`, Expected: "text that matches ^(GET|POST) /"},
			{Field: "ids", Problem: "has 4 entries", Expected: "a list, each entry a whole number, at most 3, all different"},
			{Field: "owner.email", Problem: `is "nobody"`, Expected: "text in the format email"},
			{Field: "ratio", Problem: "is 1", Expected: "a number above 0 and below 1"},
			{Field: "since", Problem: `is "2025-06-31T09:30:00Z"`, Expected: "a date and time as 2025-01-31T09:30:00Z"},
			{Field: "step", Problem: "is 0.75", Expected: "a number in steps of 0.5"},
			{Field: "version", Problem: "is 10", Expected: "a whole number from 1 to 9"},
		}},
		{"nested and missing", map[string]any{"endpoint": "GET /", "owner": map[string]any{}}, []project.Violation{
			{Field: "owner.email", Problem: "is missing", Expected: "text in the format email"},
		}},
	}
	dt := customType(t, customRepo(t, "a.json", closedJSONSchema))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(append([]project.Violation{}, tt.want...), dt.Validate(tt.frontMatter)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDocType_JSONSchemaForms(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file, schema string
		frontMatter        map[string]any
		want               []project.Violation
	}{
		{
			"draft-07", "a.json",
			`{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"items": {"$ref": "#/definitions/a"}}}, "definitions": {"a": {"type": "string"}}}`,
			map[string]any{"a": []any{1}},
			[]project.Violation{{Field: "a[0]", Problem: "is 1", Expected: "text, in quotes"}},
		},
		{
			"schema that refuses everything", "a.yaml", "allOf: [false]",
			map[string]any{},
			[]project.Violation{{Field: "front matter", Problem: "is not allowed", Expected: "nothing"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := customType(t, customRepo(t, tt.file, tt.schema)).Validate(tt.frontMatter)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDocType_SchemaHashFollowsTheSchema(t *testing.T) {
	t.Parallel()
	hash := func(schema string) string { return customType(t, customRepo(t, "a.yaml", schema)).SchemaHash }
	first := hash("required_fields: [{name: a, type: string}]")
	if again := hash("required_fields: [{name: a, type: string}]"); again != first {
		t.Errorf("the same schema has the hashes %s and %s", first, again)
	}
	if changed := hash("required_fields: [{name: b, type: string}]"); changed == first {
		t.Error("another schema has the same hash")
	}
}
