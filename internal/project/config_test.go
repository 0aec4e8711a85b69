package project_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/project"
)

func TestLoad_ReadsEveryKey(t *testing.T) {
	t.Parallel()
	p := mustLoad(t, newRepo(t, map[string]string{
		configPath: "\ufeff" + `{
			"$schema": "../../docs/config.schema.json",
			"project_name": "shop-2",
			"profile": "compound-engineering",
			"documents": {"folder": "docs/own", "folders": ["notes"], "link_root": "docs", "language": "de"},
			"retrieval": {"min_relevance_score": 0, "max_results": 100, "max_linked_docs": 0},
			"semantic_search": {"min_relevance_score": 0.8, "default_limit": 1},
			"link_resolution": {"max_depth": 0, "max_linked_docs": 7},
			"recall": "off", "rules": false,
			"external_docs": {"path": "docs", "include_patterns": ["*.md"], "exclude_patterns": []},
			"custom_doc_types": [{"name": "adr", "description": "Decisions", "folder": "adr"}]
		}`,
		"docs/": "",
	}))
	score := 0.8
	want := project.Config{
		ProjectName:    "shop-2",
		Profile:        project.CompoundEngineering,
		Documents:      project.Documents{Folder: "docs/own", Folders: []string{"notes"}, Lenient: true, LinkRoot: "docs", Language: "de"},
		Retrieval:      project.Retrieval{MinRelevanceScore: 0, MaxResults: 100, MaxLinkedDocs: 0},
		SemanticSearch: project.SemanticSearch{MinRelevanceScore: 0.8, DefaultLimit: 1, Configured: &score},
		LinkResolution: project.LinkResolution{MaxDepth: 0, MaxLinkedDocs: 7},
		Recall:         project.RecallOff,
		ExternalDocs:   &project.ExternalDocs{Path: "docs", IncludePatterns: []string{"*.md"}, ExcludePatterns: []string{}},
		CustomDocTypes: []project.CustomDocType{{Name: "adr", Description: "Decisions", Folder: "adr"}},
	}
	if diff := cmp.Diff(want, p.Config); diff != "" {
		t.Error(diff)
	}
}

// Values that follow from several keys.
func TestLoad_DerivesValues(t *testing.T) {
	t.Parallel()
	for config, want := range map[string]string{
		`{}`: "score not given, 5 linked documents",
		`{"semantic_search": {"default_limit": 3}}`:                                        "score not given, 5 linked documents",
		`{"semantic_search": {"min_relevance_score": 0.5}}`:                                "score 0.5, 5 linked documents",
		`{"retrieval": {"max_linked_docs": 9}}`:                                            "score not given, 9 linked documents",
		`{"retrieval": {"max_linked_docs": 2.0}}`:                                          "score not given, 2 linked documents",
		`{"retrieval": {"max_linked_docs": 9}, "link_resolution": {"max_linked_docs": 2}}`: "score not given, 2 linked documents",
	} {
		config = strings.Replace(config, "{", `{"project_name": "a", `, 1)
		got := mustLoad(t, newRepo(t, withConfig(strings.Replace(config, ", }", "}", 1)))).Config
		score := "not given"
		if got.SemanticSearch.Configured != nil {
			score = fmt.Sprint(*got.SemanticSearch.Configured)
		}
		if got := fmt.Sprintf("score %s, %d linked documents", score, got.LinkResolution.MaxLinkedDocs); got != want {
			t.Errorf("%s: %s, want %s", config, got, want)
		}
	}
}

func TestLoad_RefusesConfig(t *testing.T) {
	t.Parallel()
	const syntaxHint = `Every key and text stands in double quotes, entries are separated by commas, with none after the last, ` +
		`and there are no comments; for example {"project_name": "my-project"}.`
	tests := []struct{ name, config, want string }{
		{
			"misspelt key", `{"project_name": "a", "retreival": {}}`,
			`: "retreival" is not a known field. Write one of the fields $schema, custom_doc_types, documents, external_docs, link_resolution, profile, project_name, recall, retrieval, rules, semantic_search.`,
		},
		{
			"no name", `{}`,
			`: "project_name" is missing. Write lower-case letters, digits and hyphens, beginning with a letter, for example "my-project".`,
		},
		{
			"bad name", `{"project_name": "My Project"}`,
			`: "project_name" is "My Project". Write lower-case letters, digits and hyphens, beginning with a letter, for example "my-project".`,
		},
		{
			"score above one", `{"project_name": "a", "retrieval": {"min_relevance_score": 70}}`,
			`: "retrieval.min_relevance_score" is 70. Write a number, minimum 0, maximum 1.`,
		},
		{
			"not an object", `["a"]`,
			` is a list. Write an object, for example {"project_name": "my-project"}.`,
		},
		{"trailing comma", "{\n  \"project_name\": \"a\",\n}", `: line 3, column 1: invalid character '}' looking for beginning of object key string. ` + syntaxHint},
		{"comment", "{\n  // ä comment\n}", `: line 2, column 3: invalid character '/' looking for beginning of object key string. ` + syntaxHint},
		{"column counts characters", `{"project_name": "ää" x}`, `: line 1, column 23: invalid character 'x' after object key:value pair. ` + syntaxHint},
		{
			"a merge conflict", "{\n<<<<<<< ours\n\"project_name\": \"a\"\n=======\n\"project_name\": \"b\"\n>>>>>>> theirs\n}",
			`: line 2: git has left the marks of a merge conflict. ` +
				`Keep one of the two sides, and remove the lines that begin with <<<<<<<, ======= and >>>>>>>.`,
		},
		{"an empty key twice", `{"project_name": "a", "": 1, "": 2}`, `: "\"\"" is given twice. Remove one of the two.`},
		{"a key twice", `{"project_name": "a", "recall": "off", "recall": "all"}`, `: "recall" is given twice. Remove one of the two.`},
		{"endless number", `{"project_name": ` + strings.Repeat("1", 900_000) + `}`, ` cannot be read: json: cannot unmarshal number ` + strings.Repeat("1", 70) + `. ` + syntaxHint},
		{"number out of range", `{"project_name": 1e999}`, ` cannot be read: json: cannot unmarshal number 1e999 into Go value of type float64. ` + syntaxHint},
		{"empty", " \n", ` is empty. Write for example {"project_name": "my-project"}.`},
		{"UTF-16", "\xff\xfe{\x00}\x00", ` is not UTF-8 text. Save it with the encoding UTF-8.`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := newRepo(t, withConfig(tt.config))
			_, err := project.Load(root)
			if diff := cmp.Diff("ROOT/"+configPath+tt.want, message(t, err, root)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestConfigSchema_PublishedCopyIsTheSame(t *testing.T) {
	t.Parallel()
	embedded, err := os.ReadFile("config.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	published, err := os.ReadFile(filepath.Join("..", "..", "docs", "config.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(embedded, published) {
		t.Error("docs/config.schema.json differs from internal/project/config.schema.json: copy the latter over the former")
	}
}
