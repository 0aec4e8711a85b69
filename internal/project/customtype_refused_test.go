package project_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/project"
)

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
			"built-in folder", `{"name": "adr", "folder": "Problems"}`,
			`custom_doc_types[0].folder" is "Problems", which overlaps the folder "problems" of the built-in doc-type problem. ` + own,
		},
		{
			"inside a built-in folder", `{"name": "adr", "folder": "codebase/adr"}`,
			`custom_doc_types[0].folder" is "codebase/adr", which overlaps the folder "codebase" of the built-in doc-type codebase. ` + own,
		},
		{"upwards", `{"name": "adr", "folder": "../src"}`, folder("../src", "leads out of csharp-compounding-docs")},
		{"absolute", `{"name": "adr", "folder": "/etc"}`, folder("/etc", "is an absolute path")},
		{"all documents", `{"name": "adr", "folder": "./"}`, folder("./", "is the folder of all documents")},
		{"schemas", `{"name": "adr", "folder": "Schemas/x"}`, folder("Schemas/x", "is kept for schemas")},
		{"hidden", `{"name": "adr", "folder": "a/.b"}`, folder("a/.b", "is hidden, and hidden files are not indexed")},
		{"backslash", `{"name": "adr", "folder": "a\\b"}`, folder(`a\b`, "has a character that not every system allows in a folder's name")},
		{"link that leaves", `{"name": "adr", "folder": "escape"}`, folder("escape", "leads out of the repository")},
		{
			"schema missing", `{"name": "adr", "folder": "adr", "schema_file": "./schemas/nope.yaml"}`,
			`custom_doc_types[0].schema_file" names "./schemas/nope.yaml", which does not exist. Create ` +
				`ROOT/csharp-compounding-docs/schemas/nope.yaml (the path is relative to csharp-compounding-docs), or remove schema_file.`,
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
	const plainYAML = " Write plain YAML, for example type: object."
	const compare = ` Compare it with {"type": "object", "required": ["title"], "properties": {"title": {"type": "string"}}}.`
	tests := []struct{ name, file, schema, want string }{
		{"misspelt keyword", "a.yaml", "requierd: [a]", `: "requierd" is not a keyword that is read here. Check its spelling, or leave it out.`},
		{"empty YAML", "a.yaml", "# nothing\n", ` is empty. Write for example type: object.`},
		{"YAML in another encoding", "a.yaml", "\xff\xfet\x00", ` is not UTF-8 text. Save it with the encoding UTF-8.`},
		{"huge YAML", "a.yaml", "type: object" + strings.Repeat(" ", 256<<10), ` is larger than 256 KiB. Shorten it; such a file has a few kilobytes.`},
		{"bad YAML", "a.yaml", "required:\n  - name: a\n   type: b\n", `: line 3, column 4: the file is not valid YAML: did not find expected '-' indicator.` + plainYAML},
		{"not a number of JSON", "a.yaml", "type: object\nmaximum: .inf\n", `: line 2, column 10: the key "maximum" is not a finite number, which has no JSON equivalent.` + plainYAML},
		{
			"wrong keyword value", "a.yaml", "type: object\nrequired: title\n",
			` cannot be used (json: cannot unmarshal string into Go struct field .schemaWithoutMethods.required of type []string).` + compare,
		},
		{
			"bad JSON", "a.json", "{\n  'type': 1}",
			`: line 2, column 3: invalid character '\'' looking for beginning of object key string. Every key and text stands in double quotes, ` +
				`entries are separated by commas, with none after the last, and there are no comments; for example {"type": "object"}.`,
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
