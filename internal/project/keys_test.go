package project_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// schemaNode is a JSON Schema, or that of one key.
type schemaNode struct {
	Default    any                    `json:"default"`
	Properties map[string]*schemaNode `json:"properties"`
	Items      *schemaNode            `json:"items"`
	Defs       map[string]*schemaNode `json:"$defs"`
}

func readSchema(t *testing.T, file string) *schemaNode {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	schema := &schemaNode{}
	if err := json.Unmarshal(data, schema); err != nil {
		t.Fatal(err)
	}
	return schema
}

// key is one key of a published schema with the Go field that it is decoded into.
type key struct {
	name   string // such as custom_doc_types[].folder
	schema *schemaNode
	field  string        // such as CustomDocType.Folder; "" without a field
	value  reflect.Value // of a project that sets only what it must
}

// keys returns those of both published schemas.
func keys(t *testing.T) []key {
	t.Helper()
	p := mustLoad(t, newRepo(t, map[string]string{
		configPath: `{"project_name": "a", "external_docs": {"path": "d"}, "custom_doc_types": [{"name": "n", "folder": "f"}]}`,
		"d/":       "",
	}))
	return append(keysOf("", readSchema(t, "config.schema.json"), reflect.ValueOf(p.Config)),
		keysOf("", readSchema(t, "settings.schema.json"), reflect.ValueOf(project.DefaultSettings()))...)
}

func keysOf(above string, schema *schemaNode, value reflect.Value) []key {
	if value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	if schema.Items != nil && schema.Items.Properties != nil {
		above, schema, value = above+"[]", schema.Items, value.Index(0)
	}
	var found []key
	for name, below := range schema.Properties {
		if name == "$schema" { // an editor reads it
			continue
		}
		k := key{name: strings.TrimPrefix(above+"."+name, "."), schema: below}
		for field, v := range value.Fields() {
			if tag, _, _ := strings.Cut(field.Tag.Get("json"), ","); tag == name {
				k.field, k.value = value.Type().Name()+"."+field.Name, v
				found = append(found, keysOf(k.name, below, v)...)
			}
		}
		found = append(found, k)
	}
	return found
}

// The published schemas promise the defaults that the program applies, and leave none out.
func TestSchemas_DefaultsAreTheOnesApplied(t *testing.T) {
	t.Parallel()
	required := strings.Fields("project_name external_docs.path custom_doc_types[].name custom_doc_types[].folder custom_doc_types")
	for _, k := range keys(t) {
		if k.field == "" || k.schema.Properties != nil || slices.Contains(required, k.name) {
			continue
		}
		text, err := json.Marshal(k.value.Interface())
		if err != nil {
			t.Fatal(err)
		}
		var applied any
		if err := json.Unmarshal(text, &applied); err != nil {
			t.Fatal(err)
		}
		if k.schema.Default == nil && k.value.IsZero() {
			continue
		}
		if diff := cmp.Diff(k.schema.Default, applied); diff != "" {
			t.Errorf("the default of %s (-schema +applied):\n%s", k.name, diff)
		}
	}
	if types := project.DefaultConfig().CustomDocTypes; len(types) > 0 {
		t.Errorf("custom_doc_types has the default %v", types)
	}
}

// The schemas of documents promise one default, which package catalog applies.
func TestSchemas_DefaultsOfDocTypes(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("schemas/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	got := map[string]any{}
	for _, file := range files {
		schema := readSchema(t, file)
		for _, nodes := range []map[string]*schemaNode{schema.Properties, schema.Defs} {
			for name, node := range nodes {
				if node.Default != nil {
					got[name] = node.Default
				}
				for below, property := range node.Properties {
					if property.Default != nil {
						got[name+"."+below] = property.Default
					}
				}
			}
		}
	}
	if diff := cmp.Diff(map[string]any{"promotion_level": string(catalog.Standard)}, got); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
}

// The program has a field for each key, and the page of the configuration explains it.
func TestSchemas_EveryKeyIsDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys(t) {
		if k.field == "" {
			t.Errorf("no field has the key %s", k.name)
		}
		if name := k.name[strings.LastIndex(k.name, ".")+1:]; !strings.Contains(string(page), name) {
			t.Errorf("docs/configuration.md does not name %s", k.name)
		}
	}
}

// The schemas have a key for each setting, and some package reads it.
func TestSchemas_EverySettingIsRead(t *testing.T) {
	t.Parallel()
	var code strings.Builder
	err := filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "../test/") {
			return err
		}
		text, err := os.ReadFile(path)
		code.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, k := range keys(t) {
		known[k.field] = true
		if _, name, _ := strings.Cut(k.field, "."); !regexp.MustCompile(`\.` + name + `\b[^(]`).MatchString(code.String()) {
			t.Errorf("nobody reads %s", k.name)
		}
	}
	for _, of := range []reflect.Type{reflect.TypeFor[project.Config](), reflect.TypeFor[project.Settings]()} {
		for field := range of.Fields() {
			if !known[of.Name()+"."+field.Name] && field.Tag.Get("json") != "-" {
				t.Errorf("the schema has no key for %s.%s", of.Name(), field.Name)
			}
		}
	}
}
