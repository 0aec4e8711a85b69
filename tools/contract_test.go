package tools_test

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/compound-docs/compound-docs/test/toolexample"
	"github.com/compound-docs/compound-docs/tools"
)

// testdata/tools.json is tools/list as clients see it, in both versions of the
// protocol. It has every parameter and field of the specification: a change of it is
// a change of the contract.
func TestContract_Snapshot(t *testing.T) {
	t.Parallel()
	server := setup(t).server
	for _, version := range protocolVersions() {
		list, err := connect(t, server, version).ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		compareJSON(t, "tools.json", list.Tools)
	}
}

func TestContract_DeclarationsAreComplete(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir("testdata/examples")
	if err != nil {
		t.Fatal(err)
	}
	withoutTool := map[string]bool{}
	for _, file := range files {
		withoutTool[strings.TrimSuffix(file.Name(), ".json")] = true
	}
	for _, group := range tools.Groups() {
		for _, tool := range group.Tools {
			if !withoutTool[tool.Name] {
				t.Errorf("%s stands twice, or has no example file", tool.Name)
			}
			delete(withoutTool, tool.Name)
			if tool.Title == "" || tool.Description == "" || tool.Annotations == nil ||
				tool.Annotations.DestructiveHint == nil || tool.Annotations.OpenWorldHint == nil {
				t.Errorf("%s lacks title, description or annotations", tool.Name)
			}
			input := schemaOf(t, tool.InputSchema)
			if input.AdditionalProperties == nil || input.AdditionalProperties.Not == nil {
				t.Errorf("%s accepts unknown parameters", tool.Name)
			}
		}
	}
	if len(withoutTool) > 0 {
		t.Errorf("example files of no tool: %v", slices.Sorted(maps.Keys(withoutTool)))
	}
}

// checkAnswers compares the answers of an example file with the schema that the tool
// declares for them.
func checkAnswers(t *testing.T, tool tools.Tool, f toolexample.File) {
	t.Helper()
	if tool.OutputSchema == nil {
		return
	}
	declared := schemaOf(t, tool.OutputSchema)
	resolved, err := declared.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, c := range f.Cases {
		if c.Answer == nil {
			continue
		}
		var answer any
		if err := json.Unmarshal(c.Answer, &answer); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(answer); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		fieldsOfValue("", answer, shown)
	}
	for _, exception := range f.NotShown {
		if shown[exception] {
			t.Errorf("not_shown names %s, which a case shows", exception)
		}
		maps.DeleteFunc(shown, func(path string, _ bool) bool { return within(path, exception) })
	}
	for name, property := range declared.Properties {
		prefix := name + "."
		if property.Items != nil {
			property, prefix = property.Items, name+"[]."
		}
		if property.Type == "object" && len(property.Properties) == 0 { // another tool declares its fields
			maps.DeleteFunc(shown, func(path string, _ bool) bool { return strings.HasPrefix(path, prefix) })
		}
	}
	want := slices.DeleteFunc(fieldsOfSchema("", declared), func(path string) bool {
		return slices.ContainsFunc(f.NotShown, func(exception string) bool { return within(path, exception) })
	})
	slices.Sort(want)
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(shown))); diff != "" {
		t.Errorf("fields of the answers; add a case that shows the field, or name it in not_shown (-declared +shown):\n%s", diff)
	}
}

// within reports whether a path is that of the field or of something inside it.
func within(path, field string) bool {
	rest, ok := strings.CutPrefix(path, field)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// schemaOf returns a declared schema as a client reads it.
func schemaOf(t *testing.T, declared any) *jsonschema.Schema {
	t.Helper()
	encoded, err := json.Marshal(declared)
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(encoded, &schema); err != nil {
		t.Fatal(err)
	}
	return &schema
}

// fieldsOfSchema returns the paths of all fields, such as results[].path.
func fieldsOfSchema(path string, schema *jsonschema.Schema) (paths []string) {
	if schema.Items != nil {
		return fieldsOfSchema(path+"[]", schema.Items)
	}
	for name, property := range schema.Properties {
		field := strings.TrimPrefix(path+"."+name, ".")
		paths = append(append(paths, field), fieldsOfSchema(field, property)...)
	}
	return paths
}

// fieldsOfValue adds the paths of the fields that have a value other than zero: a field that nobody fills is always zero.
func fieldsOfValue(path string, value any, paths map[string]bool) {
	switch value := value.(type) {
	case map[string]any:
		for name, inside := range value {
			field := strings.TrimPrefix(path+"."+name, ".")
			if inside != nil && !reflect.ValueOf(inside).IsZero() {
				paths[field] = true
			}
			fieldsOfValue(field, inside, paths)
		}
	case []any:
		for _, item := range value {
			fieldsOfValue(path+"[]", item, paths)
		}
	}
}
