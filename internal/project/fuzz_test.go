package project

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/compound-docs/compound-docs/internal/jsonschema"
)

// wantConfigError fails when an error is not one that tells its reader what to do.
func wantConfigError(t *testing.T, err error) {
	t.Helper()
	var configErr *ConfigError
	if !errors.As(err, &configErr) || configErr.Path == "" || configErr.Problem == "" || configErr.Hint == "" {
		t.Errorf("%#v is not a complete *ConfigError", err)
	}
}

func FuzzConfig(f *testing.F) {
	f.Add([]byte(`{"project_name": "a"}`))
	f.Add([]byte(`{"project_name": "a", "retrieval": {"max_results": 1e2}, "external_docs": {"path": "docs"}}`))
	f.Add([]byte(`{"project_name": "a", "custom_doc_types": [{"name": "b", "folder": "c", "schema_file": "d.yaml"}]}`))
	f.Add([]byte(`{"project_name": "a", "project_name": "b"}`))
	f.Add([]byte("{\n\"retrieval\": [],,}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		value, err := parseJSON("config.json", data)
		if err != nil {
			wantConfigError(t, err)
			return
		}
		config, err := parseConfig("config.json", data, value)
		if err != nil {
			wantConfigError(t, err)
			return
		}
		if config.ProjectName == "" || config.Retrieval.MaxResults < 1 || config.Retrieval.MaxResults > 100 ||
			config.LinkResolution.MaxDepth < 0 || config.LinkResolution.MaxDepth > 10 {
			t.Errorf("accepted %+v", config)
		}
	})
}

func FuzzSchema(f *testing.F) {
	front := []byte(`{"title": "t", "a": ["b", 1, null], "c": {"d": true}}`)
	f.Add([]byte("required_fields: [{name: a, type: array, values: [b]}]"), front)
	f.Add([]byte("type: object\nproperties:\n  a: {type: string, pattern: '^b'}\n"), front)
	f.Add([]byte(`{"$ref": "#/$defs/x", "$defs": {"x": {"anyOf": [{"required": ["z"]}, {"not": {}}]}}}`), front)
	f.Add([]byte(`{"$schema": "http://json-schema.org/draft-04/schema#", "dependencies": {"a": ["b"]}, "items": [{}]}`), front)
	f.Add([]byte(`{"$id": "x", "$anchor": "y", "$ref": "x#y", "unevaluatedProperties": false}`), front)
	f.Add([]byte("a: &b [*b]\n? c\n: !!int 1\n<<: {}\n"), front)
	f.Fuzz(func(t *testing.T, data, frontMatter []byte) {
		doc, err := parseYAML("schema.yaml", data)
		if err != nil {
			wantConfigError(t, err)
			return
		}
		dt := DocType{Name: "x", Folder: "x"}
		var s *jsonschema.Schema
		if isShortForm(doc) {
			s, err = compileShortForm("schema.yaml", doc)
		} else if s, err = jsonschema.Compile(map[string]any{"schema": doc}, "schema", ""); err != nil {
			err = schemaError("schema.yaml", err)
		}
		if err != nil {
			wantConfigError(t, err)
			return
		}
		dt.schemas = []*jsonschema.Schema{s}
		var value map[string]any
		if json.Unmarshal(frontMatter, &value) != nil {
			return
		}
		for _, v := range dt.Validate(value) {
			if v.Problem == "" || v.Expected == "" {
				t.Errorf("incomplete violation %+v", v)
			}
		}
	})
}

func FuzzGitHead(f *testing.F) {
	f.Add("ref: refs/heads/main")
	f.Add("refs/heads/a/../../b")
	f.Add("refs/heads/.hidden")
	f.Fuzz(func(t *testing.T, ref string) {
		if !isRefName(ref) {
			return
		}
		if root := "/repo/.git"; !isInside(root, root+"/"+ref) {
			t.Errorf("%q leaves the git folder", ref)
		}
	})
}
