package tools_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/project"
)

// schemaFiles are JSON Schemas by the names that they refer to each other by.
type schemaFiles map[string]map[string]any

// node is a part of a schema, with the file that its references start from.
type node struct {
	file   string
	schema map[string]any
}

func (s schemaFiles) resolve(n node) node {
	reference, ok := n.schema["$ref"].(string)
	if !ok {
		return n
	}
	file, pointer, _ := strings.Cut(reference, "#")
	if file == "" {
		file = n.file
	}
	target := s[file]
	for name := range strings.SplitSeq(strings.Trim(pointer, "/"), "/") {
		if name != "" {
			target = object(target[name])
		}
	}
	return node{file, target}
}

// properties are the keys of an object, those of references and of allOf included, and
// which of them are required.
func (s schemaFiles) properties(n node) (all map[string]node, required []string) {
	all = map[string]node{}
	add := func(part node) {
		properties, needed := s.properties(part)
		maps.Copy(all, properties)
		required = append(required, needed...)
	}
	if _, ok := n.schema["$ref"]; ok {
		add(s.resolve(n))
	}
	for _, part := range list(n.schema["allOf"]) {
		add(node{n.file, object(part)})
	}
	for name, property := range object(n.schema["properties"]) {
		all[name] = node{n.file, object(property)}
	}
	for _, name := range list(n.schema["required"]) {
		required = append(required, fmt.Sprint(name))
	}
	return all, required
}

func list(value any) []any {
	items, _ := value.([]any)
	return items
}

func object(value any) map[string]any {
	members, _ := value.(map[string]any)
	return members
}

// place is the value of a field, with a text in one place of it.
type place struct {
	value       any
	field, text string
	docType     string
	// enum is set for one of the values of an enum, the last.
	enum bool
}

// places returns a value for each place of the schema where a document may have text.
// What is beside it is the least that the schema asks for.
func (s schemaFiles) places(n node, field string, word func() string) (all []place) {
	add := func(part node, field string, wrap func(value any) any) {
		for _, p := range s.places(part, field, word) {
			p.value = wrap(p.value)
			all = append(all, p)
		}
	}
	properties, _ := s.properties(n)
	target := s.resolve(n)
	types := fmt.Sprint(target.schema["type"])
	if enum := list(target.schema["enum"]); len(enum) > 0 {
		last := fmt.Sprint(enum[len(enum)-1])
		all = append(all, place{value: last, field: field, text: last, enum: true})
	} else if strings.Contains(types, "string") && target.schema["format"] != "date" {
		text := word()
		all = append(all, place{value: text, field: field, text: text})
	}
	if strings.Contains(types, "array") {
		add(target.items(), field, func(value any) any { return []any{value} })
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		add(properties[name], name, func(value any) any {
			beside := object(s.least(n))
			beside[name] = value
			return beside
		})
	}
	return all
}

func (n node) items() node { return node{n.file, object(n.schema["items"])} }

// least returns the least value that the schema accepts.
func (s schemaFiles) least(n node) any {
	properties, required := s.properties(n)
	n = s.resolve(n)
	enum := list(n.schema["enum"])
	switch types := fmt.Sprint(n.schema["type"]); {
	case len(enum) > 0:
		return enum[0]
	case n.schema["const"] != nil:
		return n.schema["const"]
	case n.schema["format"] == "date":
		return "2026-01-02"
	case strings.Contains(types, "string"):
		return "x"
	case strings.Contains(types, "array"):
		return []any{s.least(n.items())}
	}
	least := map[string]any{}
	for _, name := range required {
		least[name] = s.least(properties[name])
	}
	return least
}

// runbookSchema is that of a doc-type of a project, with texts inside others.
const runbookSchema = `{"type": "object", "required": ["title", "owner"], "properties": {
		"title": {"type": "string"},
		"owner": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "rota": {"type": "string"}}},
		"steps": {"type": "array", "items": {"type": "object", "properties": {
			"action": {"type": "string"}, "checks": {"type": "array", "items": {"type": "string"}}}}},
		"risk": {"enum": ["slight", "grave"]},
		"count": {"type": "integer"}}}`

// readSchemas returns the schemas of the built-in doc-types, and the one above.
func readSchemas(t *testing.T) schemaFiles {
	t.Helper()
	schemas := schemaFiles{}
	const dir = "../internal/project/schemas"
	files, err := filepath.Glob(dir + "/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		schemas.add(t, filepath.Base(file), content)
	}
	schemas.add(t, "runbook.json", []byte(runbookSchema))
	return schemas
}

func (s schemaFiles) add(t *testing.T, name string, content []byte) {
	t.Helper()
	var schema map[string]any
	if err := json.Unmarshal(content, &schema); err != nil {
		t.Fatal(name, err)
	}
	s[name] = schema
}

// Every text that the schema of a doc-type allows in front matter finds its document: by a unique
// word, and by another form of the word, the only meaning that the fake model knows. The cases come
// from the schemas, so a new field is among them.
func TestFrontMatter_EveryTextOfEverySchemaFindsItsDocument(t *testing.T) {
	t.Parallel()
	schemas, words := readSchemas(t), 0
	word := func() string {
		words++
		return fmt.Sprintf("quorv%c%ck", 'a'+words/26, 'a'+words%26)
	}
	files := map[string]string{
		project.DocsFolder + "/schemas/runbook.json": runbookSchema,
	}
	places := map[string]place{}
	folders := map[string]string{
		"problem": "problems", "insight": "insights", "codebase": "codebase", "tool": "tools", "style": "styles",
		"runbook": "runbooks",
	}
	for _, docType := range slices.Sorted(maps.Keys(folders)) {
		for _, p := range schemas.places(node{docType + ".json", schemas[docType+".json"]}, "", word) {
			// The one is a filter. The other lowers the rank of what it names, and the text of
			// a document must not depend on it.
			if p.field == "promotion_level" || p.field == "supersedes" {
				continue
			}
			path := fmt.Sprintf("%s/%s/%d.md", project.DocsFolder, folders[docType], len(places))
			frontMatter, err := json.Marshal(p.value)
			if err != nil {
				t.Fatal(err)
			}
			files[path] = "---\n" + string(frontMatter) + "\n---\n\nText.\n"
			p.docType = docType
			places["./"+path] = p
		}
	}
	t.Logf("%d places, %d of them with words of their own", len(places), words)
	c := connect(t, setup(t).server, protocolVersions()["stateless"])
	c.activate(t, newProject(t, `{"project_name": "fields", "custom_doc_types": [
		{"name": "runbook", "description": "Runbooks", "folder": "runbooks", "schema_file": "./schemas/runbook.json"}]}`, files))
	for path, p := range places {
		queries := map[string]string{"lexical": p.text, "hybrid": p.text, "vector": p.text + "s"}
		if p.enum { // other fields have the value too
			query := strings.ReplaceAll(p.field, "_", " ") + " " + p.text
			queries = map[string]string{"lexical": query, "hybrid": query}
		}
		for mode, query := range queries {
			var found struct {
				Results []struct {
					Path string `json:"path"`
				} `json:"results"`
			}
			c.get(t, "semantic_search", arguments{"query": query, "mode": mode, "doc_types": []string{p.docType}, "limit": 1, "min_relevance_score": 0}, &found)
			if len(found.Results) == 0 || found.Results[0].Path != path {
				t.Errorf("%s: %q of the field %s of %s finds %v", mode, query, p.field, path, found.Results)
			}
		}
	}
}
