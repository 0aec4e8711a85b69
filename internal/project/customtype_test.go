package project_test

import (
	"fmt"
	"path/filepath"
	"strings"
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
		"kind": {"not": {"const": "secret"}},
		"contact": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
		"step": {"type": "number", "multipleOf": 0.5},
		"words": {"contains": {"const": "must"}}
	},
	"dependentRequired": {"status": ["version"]},
	"if": {"properties": {"status": {"const": "final"}}, "required": ["status"]},
	"then": {"required": ["since"]},
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
			{Field: "colour", Problem: "is not a known field", Expected: "one of the fields code, contact, endpoint, ids, kind, note, owner, ratio, since, status, step, version, words"},
			{Field: "statsu", Problem: "is not a known field", Expected: "status"},
		}},
		{"conditions", map[string]any{"endpoint": "GET /x", "status": "final"}, []project.Violation{
			{Field: "since", Problem: "is missing", Expected: "a date and time as 2025-01-31T09:30:00Z"},
			{Field: "version", Problem: `is missing, though "status" is given`, Expected: "a whole number from 1 to 9"},
		}},
		{"values", map[string]any{
			"endpoint": "PUT /x", "version": 10, "ratio": 1.0, "code": "abcdef", "ids": []any{1, 1, 2, 3}, "kind": "secret",
			"owner": map[string]any{"email": "nobody"}, "contact": []any{"x"}, "step": 0.75, "words": []any{"may"},
		}, []project.Violation{
			{Field: "code", Problem: "has 6 characters", Expected: "text of 3 to 5 characters"},
			{Field: "contact", Problem: "is a list", Expected: "text or a whole number"},
			{Field: "endpoint", Problem: `is "PUT /x"`, Expected: "text that matches ^(GET|POST) /"},
			{Field: "ids", Problem: "has 4 entries", Expected: "a list, each entry a whole number, at most 3"},
			{Field: "ids", Problem: "has the same entry twice", Expected: "different entries"},
			{Field: "kind", Problem: `is "secret", which is not allowed`, Expected: "another value"},
			{Field: "owner.email", Problem: `is "nobody"`, Expected: "text in the format email"},
			{Field: "ratio", Problem: "is 1", Expected: "a number above 0 below 1"},
			{Field: "step", Problem: "is 0.75", Expected: "a number in steps of 0.5"},
			{Field: "version", Problem: "is 10", Expected: "a whole number from 1 to 9"},
			{Field: "words", Problem: "does not satisfy contains", Expected: "what the schema says"},
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
			"one of several required fields", "a.yml", "anyOf: [{required: [a]}, {required: [b]}]",
			map[string]any{},
			[]project.Violation{{Field: "", Problem: "fits none of the allowed forms", Expected: "a as a value, or b as a value"}},
		},
		{
			"exactly one", "a.yaml", "oneOf: [{required: [a]}, {required: [b]}]",
			map[string]any{"a": 1, "b": 1},
			[]project.Violation{{Field: "", Problem: "fits more than one of the allowed forms", Expected: "exactly one of them"}},
		},
		{
			"draft-07", "a.json",
			`{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"items": {"type": "string"}}}, "dependencies": {"a": ["b"]}}`,
			map[string]any{"a": []any{1}},
			[]project.Violation{
				{Field: "a[0]", Problem: "is 1", Expected: "text, in quotes"},
				{Field: "b", Problem: `is missing, though "a" is given`, Expected: "a value"},
			},
		},
		{
			"unevaluated properties spare the common fields", "a.yaml",
			"{properties: {a: {type: string}}, unevaluatedProperties: false}",
			map[string]any{"a": "x", "tags": []any{}, "b": 1},
			[]project.Violation{{Field: "b", Problem: "is not a known field", Expected: "one of the fields a"}},
		},
		{
			"names of fields", "a.yaml", "propertyNames: {pattern: '^[a-z_]+$'}",
			map[string]any{"BIG": 1},
			[]project.Violation{{Field: "BIG", Problem: "is not an allowed name", Expected: "text that matches ^[a-z_]+$"}},
		},
		{
			"schema that refuses everything", "a.yaml", "not: {}",
			map[string]any{},
			[]project.Violation{{Field: "", Problem: "is an object, which is not allowed", Expected: "another value"}},
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

func TestLoad_RefusesCustomDocType(t *testing.T) {
	t.Parallel()
	folder := func(name, problem string) string {
		return fmt.Sprintf(`custom_doc_types[0].folder" is %q, which %s. Name a folder inside csharp-compounding-docs, `+
			`for example "folder": "api-contracts".`, name, problem)
	}
	own := `Give every doc-type a folder of its own, for example "folder": "api-contracts".`
	tests := []struct{ name, types, want string }{
		{
			"built-in name", `{"name": "tool", "folder": "x"}`,
			`custom_doc_types[0].name" is "tool", the name of a built-in doc-type. Choose another name, for example "name": "api-contract".`,
		},
		{
			"name given twice", `{"name": "adr", "folder": "x"}, {"name": "adr", "folder": "y"}`,
			`custom_doc_types[1].name" is "adr", the name of a custom doc-type. Choose another name, for example "name": "api-contract".`,
		},
		{
			"built-in folder", `{"name": "adr", "folder": "Problems"}`,
			`custom_doc_types[0].folder" is "Problems", which overlaps the folder "problems" of the built-in doc-type problem. ` + own,
		},
		{
			"inside a built-in folder", `{"name": "adr", "folder": "codebase/adr"}`,
			`custom_doc_types[0].folder" is "codebase/adr", which overlaps the folder "codebase" of the built-in doc-type codebase. ` + own,
		},
		{
			"around another folder", `{"name": "adr", "folder": "a/b"}, {"name": "rfc", "folder": "a"}`,
			`custom_doc_types[1].folder" is "a", which overlaps the folder "a/b" of the custom doc-type adr. ` + own,
		},
		{"upwards", `{"name": "adr", "folder": "../src"}`, folder("../src", "leads out of csharp-compounding-docs")},
		{"up and down", `{"name": "adr", "folder": "a/../../src"}`, folder("a/../../src", "leads out of csharp-compounding-docs")},
		{"absolute", `{"name": "adr", "folder": "/etc"}`, folder("/etc", "is an absolute path")},
		{"all documents", `{"name": "adr", "folder": "./"}`, folder("./", "is the folder of all documents")},
		{"schemas", `{"name": "adr", "folder": "Schemas/x"}`, folder("Schemas/x", "is kept for schemas")},
		{"hidden", `{"name": "adr", "folder": "a/.b"}`, folder("a/.b", "is hidden, and hidden files are not indexed")},
		{"backslash", `{"name": "adr", "folder": "a\\b"}`, folder(`a\b`, "has a character that not every system allows in a folder's name")},
		{"link that leaves", `{"name": "adr", "folder": "escape"}`, folder("escape", "is a link that leads out of the repository")},
		{
			"schema missing", `{"name": "adr", "folder": "adr", "schema_file": "./schemas/nope.yaml"}`,
			`custom_doc_types[0].schema_file" names "./schemas/nope.yaml", which does not exist. Create ` +
				`ROOT/csharp-compounding-docs/schemas/nope.yaml (the path is relative to csharp-compounding-docs), or remove schema_file. ` +
				`It holds for example {"required_fields": [{"name": "endpoint", "type": "string"}]}.`,
		},
		{
			"schema outside", `{"name": "adr", "folder": "adr", "schema_file": "../../x.yaml"}`,
			`custom_doc_types[0].schema_file" is "../../x.yaml", which leads out of the repository. Keep the schema in the repository, ` +
				`for example "schema_file": "./schemas/api-contract.schema.yaml".`,
		},
		{
			"absolute schema", `{"name": "adr", "folder": "adr", "schema_file": "/etc/passwd"}`,
			`custom_doc_types[0].schema_file" is "/etc/passwd", which leads out of the repository. Keep the schema in the repository, ` +
				`for example "schema_file": "./schemas/api-contract.schema.yaml".`,
		},
		{
			"schema by a link that leaves", `{"name": "adr", "folder": "adr", "schema_file": "escape/x.yaml"}`,
			`custom_doc_types[0].schema_file" is "escape/x.yaml", which leads out of the repository. Keep the schema in the repository, ` +
				`for example "schema_file": "./schemas/api-contract.schema.yaml".`,
		},
		{
			"schema of another kind", `{"name": "adr", "folder": "adr", "schema_file": "schemas/x.xml"}`,
			`custom_doc_types[0].schema_file" is "schemas/x.xml", which is neither JSON nor YAML. Name a file that ends in .json, .yaml or .yml, ` +
				`for example "schema_file": "./schemas/api-contract.schema.yaml".`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := newRepo(t, map[string]string{
				configPath:                              `{"project_name": "a", "custom_doc_types": [` + tt.types + `]}`,
				"csharp-compounding-docs/schemas/x.xml": "<a/>",
			})
			symlink(t, newRepo(t, map[string]string{"x.yaml": "{}"}), filepath.Join(root, "csharp-compounding-docs", "escape"))
			_, err := project.Load(root)
			if diff := cmp.Diff("ROOT/"+configPath+`: "`+tt.want, message(t, err, root)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLoad_RefusesSchema(t *testing.T) {
	t.Parallel()
	const plainYAML = " Write plain YAML, for example required_fields: [{name: endpoint, type: string}]."
	const pointHere = ` Point to a part of this file, for example {"$ref": "#/$defs/status"}.`
	const copyHere = ` Copy what it refers to into "$defs" of this file and refer to that, for example {"$ref": "#/$defs/status"}.`
	const compare = ` Compare it with {"type": "object", "required": ["title"], "properties": {"title": {"type": "string"}}}.`
	const limits = " Keep it under 2000 values, 64 levels, 100 patterns and 10000 sub-schemas with every $ref written out."
	const writeOut = " Write the nested levels out."
	doubling := func() string {
		var b strings.Builder
		b.WriteString(`{"$ref": "#/$defs/l0", "$defs": {`)
		for i := range 30 {
			fmt.Fprintf(&b, `"l%d": {"allOf": [{"$ref": "#/$defs/l%d"}, {"$ref": "#/$defs/l%d"}]},`, i, i+1, i+1)
		}
		b.WriteString(`"l30": {"type": "object"}}}`)
		return b.String()
	}()
	var patterns strings.Builder
	for i := range 101 {
		fmt.Fprintf(&patterns, "{pattern: '^%d[a-z]{1000}'},", i)
	}
	tests := []struct{ name, file, schema, want string }{
		{"many patterns", "a.yaml", "allOf: [" + patterns.String() + "]", ` is too complex.` + limits},
		{
			"misspelt list", "a.yaml", "requierd_fields: [{name: a, type: string}]",
			`: "requierd_fields" is not a known key. Did you mean "required_fields"? For example "required_fields": [{"name":"endpoint","type":"string"}].`,
		},
		{
			"unknown type", "a.yaml", "required_fields: [{name: a, type: text}]",
			`: "required_fields[0].type" is "text". Write one of string, enum, array, boolean, integer, number, date, for example "type": "string".`,
		},
		{
			"enum without values", "a.yaml", "optional_fields: [{name: a, type: enum}]",
			`: "optional_fields[0].values" is missing. Write a list, each entry true or false or a number or text, at least 1, for example "values": ["stable","beta"].`,
		},
		{
			"misspelt key of a field", "a.json", `{"required_fields": [{"name": "a", "type": "enum", "valeus": ["x"]}]}`,
			`: "required_fields[0].valeus" is not a known key. Did you mean "values"? For example "values": ["stable","beta"].`,
		},
		{
			"field declared twice", "a.yaml", "required_fields: [{name: a, type: string}]\noptional_fields: [{name: a, type: array}]",
			`: "optional_fields[0].name" is "a", a field that is declared before. Declare each field once, as required or as optional.`,
		},
		{"a list", "a.yaml", "- a\n- b\n", ` is a list. Write an object, for example {"required_fields":[{"name":"endpoint","type":"string"}]}.`},
		{"empty YAML", "a.yaml", "# nothing\n", ` is empty. Write for example required_fields: [{name: endpoint, type: string}].`},
		{"bad YAML", "a.yaml", "required_fields:\n  - name: a\n   type: b\n", `: line 3, column 4: value is not allowed in this context.` + plainYAML},
		{"key given twice in YAML", "a.yaml", "type: object\ntype: array\n", `: line 2, column 1: the key "type" is given twice, first on line 1.` + plainYAML},
		{"alias", "a.yaml", "type: &x object\nrequired: [*x]\n", `: line 1, column 7: anchors and aliases can't be used here; write the value out.` + plainYAML},
		{"tag", "a.yaml", "type: !!str object\n", `: line 1, column 7: tags can't be used here; leave the tag out.` + plainYAML},
		{"two documents", "a.yaml", "type: object\n---\ntype: array\n", `: line 2, column 1: a second document begins here; keep one to a file.` + plainYAML},
		{"deep YAML", "a.yaml", "a: " + strings.Repeat("[", 100_000), `: line 1, column 67: it nests deeper than 64 levels.` + plainYAML},
		{"deep YAML lists", "a.yaml", strings.Repeat("- ", 100_000), `: line 1, column 129: it nests deeper than 64 levels.` + plainYAML},
		{"endless YAML", "a.yaml", "a: [" + strings.Repeat("1,", 100_000) + "1]", `: line 1, column 25002: there are more than 25000 words and marks.` + plainYAML},
		{"not a number of JSON", "a.yaml", "type: object\nmaximum: .inf\n", `: line 2, column 10: the key "maximum" is of the type infinity, which has no JSON equivalent.` + plainYAML},
		{"remote reference", "a.json", `{"properties": {"a": {"$ref": "http://127.0.0.1:1/x.json"}}}`, `: "properties.a.$ref" is "http://127.0.0.1:1/x.json", which points outside the file.` + copyHere},
		{"file reference", "a.yaml", "properties: {a: {$ref: 'file:///etc/passwd'}}", `: "properties.a.$ref" is "file:///etc/passwd", which points outside the file.` + copyHere},
		{"sibling reference", "a.yaml", "allOf: [{$ref: b.yaml}]", `: "allOf[0].$ref" is "b.yaml", which points outside the file.` + copyHere},
		{"remote meta-schema", "a.json", `{"$schema": "http://127.0.0.1:1/meta"}`, `: "$schema" is "http://127.0.0.1:1/meta", which points outside the file.` + copyHere},
		{"reference to nothing", "a.yaml", "{properties: {a: {$ref: '#/$defs/x'}}}", ` has the $ref "#/$defs/x", and there is nothing at that place.` + pointHere},
		{"anchor of nothing", "a.yaml", "{properties: {a: {$ref: '#x'}}}", ` has the $ref "#x", and no such anchor.` + pointHere},
		{"recursive", "a.json", `{"properties": {"a": {"$ref": "#"}}}`, ` has a $ref that refers to itself, directly or through others.` + writeOut},
		{"reference to itself", "a.json", `{"$ref": "#"}`, ` has a $ref that refers to itself, directly or through others.` + writeOut},
		{"dynamic reference", "a.json", `{"$dynamicAnchor": "n", "properties": {"a": {"$dynamicRef": "#n"}}}`, ` has a $ref that refers to itself, directly or through others.` + writeOut},
		{"exponential", "a.json", doubling, ` is too complex.` + limits},
		{"many values", "a.json", `{"enum": [` + strings.Repeat("1,", 2_000) + `1]}`, ` is too complex.` + limits},
		{"deep", "a.json", strings.Repeat(`{"not":`, 100) + "{}" + strings.Repeat("}", 100), ` is too complex.` + limits},
		{
			"bad pattern", "a.json", `{"properties": {"a/b": {"pattern": "("}}}`,
			`: "properties.a/b.pattern" is "(". JSON Schema wants a valid regex here.` + compare,
		},
		{
			"wrong keyword value", "a.yaml", "type: object\nrequired: title\n",
			`: "required" is "title". JSON Schema wants the type array here.` + compare,
		},
		{
			"wrong type", "a.yaml", "properties: {a: {type: text}}",
			`: "properties.a.type" is "text". JSON Schema wants one of array, boolean, integer, null, number, object, string here.` + compare,
		},
		{
			"bad JSON", "a.json", "{\n  'type': 1}",
			`: line 2, column 3: invalid character '\'' looking for beginning of object key string. Every key and text stands in double quotes, ` +
				`entries are separated by commas, with none after the last, and there are no comments; for example {"project_name": "my-project"}.`,
		},
		{"huge", "a.json", "{}" + strings.Repeat(" ", 1<<20), " is larger than 1 MiB. Shorten it; such a file has a few kilobytes."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := customRepo(t, tt.file, tt.schema)
			_, err := project.Load(root)
			want := "ROOT/csharp-compounding-docs/schemas/" + tt.file + tt.want
			if diff := cmp.Diff(want, message(t, err, root)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
