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
		"ids": {"type": "array", "items": {"type": "integer"}, "uniqueItems": true, "maxItems": 3},
		"since": {"type": "string", "format": "date-time"}
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
		{"questions are checked", map[string]any{"endpoint": "GET /x", "questions": []any{1}}, []project.Violation{
			{Field: "questions[0]", Problem: "is 1", Expected: "text, maxLength 300"},
		}},
		{"nothing", nil, []project.Violation{{Field: "endpoint", Problem: "is missing", Expected: "text, pattern ^(GET|POST) /"}}},
		{"unknown fields", map[string]any{"endpoint": "GET /x", "statsu": "draft", "colour": 1}, []project.Violation{
			{Field: "colour", Problem: "is not a known field", Expected: "one of the fields endpoint, ids, note, since, status"},
			{Field: "statsu", Problem: "is not a known field", Expected: "one of the fields endpoint, ids, note, since, status"},
		}},
		{"values", map[string]any{"endpoint": "PUT /x", "ids": []any{1, 1, 2, 3}, "since": "2025-06-31T09:30:00Z"}, []project.Violation{
			{Field: "endpoint", Problem: `is "PUT /x"`, Expected: "text, pattern ^(GET|POST) /"},
			{Field: "ids", Problem: "is a list", Expected: "a list of a whole number, maxItems 3, uniqueItems true"},
			{Field: "since", Problem: `is "2025-06-31T09:30:00Z"`, Expected: "text, format date-time"},
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

func TestDocType_SchemaHashFollowsTheSchema(t *testing.T) {
	t.Parallel()
	hash := func(schema string) string { return customType(t, customRepo(t, "a.yaml", schema)).SchemaHash }
	first := hash("required: [a]")
	if again := hash("required: [a]"); again != first {
		t.Errorf("the same schema has the hashes %s and %s", first, again)
	}
	if changed := hash("required: [b]"); changed == first {
		t.Error("another schema has the same hash")
	}
}
