package tools_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contract is what the specification says about a tool, and what this server
// adds to it. A line is a parameter or a field with its type:
//
//	limit?: integer 1..100             may be left out
//	message?: string = "ping"          the same, with the default that the schema states
//	min_level: string low|high         one of a list
//	results[].path: string             a field of each item
//	path_hash: string or null
type contract struct {
	parameters []string
	answer     []string
	// ours are fields of the answer that the specification does not have.
	ours []string
}

// indexFields are the same in every answer that has them. activate_project
// declares them for all tools.
func indexFields() []string {
	return []string{
		"index?: object", "index?.branch_name: string", "index?.pending: integer", "index?.failed_count: integer",
		"index?.failed: array", "index?.failed[].path: string", "index?.failed[].reason: string",
		"index?.failed[].since: string", "index?.waiting?: string", "index?.synced?: string",
	}
}

// Defaults that the schema does not state are those that the project's config
// may change; see TestDefaults.
func contracts() map[string]contract {
	passage := func(list string) []string {
		return []string{list + "[].header_path?: string", list + "[].start_line: integer", list + "[].end_line: integer"}
	}
	closest := []string{"closest?: object", "closest?.path: string", "closest?.relevance_score: number", "closest?.remedy: string"}
	omitted := []string{"omitted_count?: integer"}
	sources := slices.Concat(omitted, []string{"omitted?: array"})
	generation := []string{"generation?: string", "generation_reason?: string"}
	index := []string{"index?: object"}
	return map[string]contract{
		"rag_query": {
			parameters: []string{
				"query: string 1..10000", "doc_types?: array of string", "max_sources?: integer 1..100",
				"min_relevance_score?: number 0..1",
				`min_promotion_level?: string standard|important|critical = "standard"`, "include_critical?: boolean = true",
			},
			answer: []string{
				"answer: string",
				"sources: array", "sources[].path: string", "sources[].title: string", "sources[].char_count: integer",
				"sources[].relevance_score: number",
				"linked_docs: array", "linked_docs[].path: string", "linked_docs[].title: string",
				"linked_docs[].char_count: integer", "linked_docs[].linked_from: string",
			},
			ours: slices.Concat(passage("sources"), closest, sources, generation, index,
				[]string{"sources[].promotion_level: string standard|important|critical", "critical_not_considered?: integer"}),
		},
		"semantic_search": {
			parameters: []string{
				"query: string 1..10000", "doc_types?: array of string", "limit?: integer 1..100",
				"min_relevance_score?: number 0..1", "promotion_levels?: array of string standard|important|critical",
			},
			answer: []string{
				"results: array", "results[].path: string", "results[].title: string", "results[].summary: string",
				"results[].char_count: integer", "results[].relevance_score: number", "results[].doc_type: string",
				"results[].date: string", "results[].promotion_level: string standard|important|critical",
				"total_matches: integer",
			},
			ours: slices.Concat(passage("results"), closest, omitted, index),
		},
		"index_document": {
			parameters: []string{"path: string 1.."},
			answer:     []string{"status: string indexed", "path: string", "embedding_dimensions: integer"},
		},
		"list_doc_types": {
			answer: []string{
				"doc_types: array", "doc_types[].name: string", "doc_types[].description: string", "doc_types[].folder: string",
				"doc_types[].schema: string", "doc_types[].doc_count: integer", "doc_types[].custom?: boolean",
			},
			ours: slices.Concat(omitted, index),
		},
		"search_external_docs": {
			parameters: []string{
				"query: string 1..10000", "limit?: integer 1..100", "min_relevance_score?: number 0..1 = 0.7",
			},
			answer: []string{
				"results: array", "results[].path: string", "results[].title: string", "results[].summary: string",
				"results[].char_count: integer", "results[].relevance_score: number",
				"total_matches: integer", "external_docs_path: string",
			},
			ours: slices.Concat(passage("results"), closest, omitted, index),
		},
		"rag_query_external": {
			parameters: []string{
				"query: string 1..10000", "max_sources?: integer 1..100", "min_relevance_score?: number 0..1 = 0.7",
			},
			answer: []string{
				"answer: string",
				"sources: array", "sources[].path: string", "sources[].title: string", "sources[].char_count: integer",
				"sources[].relevance_score: number", "external_docs_path: string",
			},
			ours: slices.Concat(passage("sources"), closest, sources, generation, index),
		},
		"delete_documents": {
			parameters: []string{
				"project_name: string 1..", "branch_name?: string 1..", "path_hash?: string 1..", "dry_run?: boolean = false",
			},
			answer: []string{
				"status: string deleted|preview", "deleted_count?: integer", "deleted_chunks?: integer",
				"would_delete_count?: integer", "would_delete_chunks?: integer", "project_name: string",
				"branch_name: string or null", "path_hash: string or null", "dry_run: boolean",
			},
		},
		"update_promotion_level": {
			parameters: []string{"document_path: string 1..", "promotion_level: string standard|important|critical"},
			answer: []string{
				"status: string updated", "document_path: string",
				"previous_level: string standard|important|critical", "new_level: string standard|important|critical",
			},
		},
		"activate_project": {
			parameters: []string{"config_path: string 1..", "branch_name: string 1.."},
			answer: []string{
				"status: string activated", "project_name: string", "branch_name: string", "path_hash: string",
				"doc_types: array", "doc_types[].name: string", "doc_types[].doc_count: integer", "doc_types[].custom?: boolean",
				"total_docs: integer",
			},
			ours: indexFields(),
		},
		"search_handbook": {
			parameters: []string{"query: string 1..10000", "n_results?: integer = 5", "filter_section?: string"},
		},
		"ping": {parameters: []string{`message?: string = "ping"`}},
	}
}

func sorted(lines ...[]string) []string {
	all := slices.Concat(lines...)
	slices.Sort(all)
	return all
}

// What tools/list says is what the specification says, parameter by parameter
// and field by field.
func TestContract_Schemas(t *testing.T) {
	t.Parallel()
	server := setup(t).server
	for era, version := range eras() {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			list, err := connect(t, server, version).ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			want := contracts()
			for _, tool := range list.Tools {
				c, ok := want[tool.Name]
				if !ok {
					t.Errorf("%s has no contract", tool.Name)
				}
				delete(want, tool.Name)
				input := decodeSchema(t, tool.InputSchema)
				if diff := cmp.Diff(sorted(c.parameters), sorted(input.parameters())); diff != "" {
					t.Errorf("parameters of %s (-specified +declared):\n%s", tool.Name, diff)
				}
				if input.AdditionalProperties != false {
					t.Errorf("%s accepts unknown parameters", tool.Name)
				}
				output := decodeSchema(t, tool.OutputSchema)
				if diff := cmp.Diff(sorted(c.answer, c.ours), sorted(output.fields(""))); diff != "" {
					t.Errorf("answer of %s (-specified +declared):\n%s", tool.Name, diff)
				}
				if tool.Title == "" || tool.Description == "" || tool.Annotations == nil ||
					tool.Annotations.DestructiveHint == nil || tool.Annotations.OpenWorldHint == nil {
					t.Errorf("%s lacks title, description or annotations", tool.Name)
				}
			}
			if len(want) > 0 {
				t.Errorf("not offered: %v", slices.Sorted(maps.Keys(want)))
			}
		})
	}
}
