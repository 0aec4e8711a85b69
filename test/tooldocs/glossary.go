package main

import "strings"

// glossary explains the fields that the schemas leave to their names, for the
// sake of every session that pays for the schemas. The key is the path of a
// field, or its last part for all fields of that name.
func glossary() map[string]string {
	return map[string]string{
		"answer":                  "What the language model wrote from the documents.",
		"branch_name":             "Branch of the index.",
		"char_count":              "Length of the document in characters.",
		"custom":                  "`true` for a doc-type of the project's own; absent otherwise.",
		"date":                    "The document's date, as YYYY-MM-DD.",
		"deleted_chunks":          "Chunks deleted: the parts of documents that are too long to be embedded whole.",
		"deleted_count":           "Documents deleted.",
		"description":             "What documents of the type are about.",
		"doc_count":               "Documents in the index.",
		"doc_type":                "The document's type.",
		"doc_types":               "Built-in types first, then the project's own.",
		"dry_run":                 "Whether it was one.",
		"embedding_dimensions":    "Length of the document's vectors.",
		"external_docs_path":      "The folder, as the project's config writes it.",
		"failed[].path":           "Relative to the repository.",
		"failed[].reason":         "What is wrong with it, and what is expected.",
		"failed[].since":          "When that was found, in UTC.",
		"linked_docs":             "Documents that the sources link to, nearest first.",
		"linked_from":             "The document with the link.",
		"name":                    "The doc-type's name, as filters accept it.",
		"new_level":               "The level that it has now.",
		"path":                    "Relative to the repository, with a leading `./`.",
		"path_hash":               "Identifies the checkout: made from the repository's absolute path.",
		"previous_level":          "The level that it had.",
		"project_name":            "The project, as its config names it.",
		"promotion_level":         "How prominent the document is.",
		"relevance_score":         "From 0 to 1, 1 being the best.",
		"results":                 "The documents found, best first; empty when there are none.",
		"sources":                 "The documents that the answer was drawn from, critical ones first.",
		"status":                  "What was done.",
		"summary":                 "The document's summary, or the beginning of its text.",
		"title":                   "The document's title.",
		"total_docs":              "Documents in the index.",
		"branch_name (selection)": "As it was given; `null` for all.",
		"path_hash (selection)":   "As it was given; `null` for all.",
	}
}

// explain returns the entry for a field and its key, or "" twice.
func explain(f field) (text, key string) {
	key = f.path
	if strings.HasSuffix(f.kind, "or null") {
		key += " (selection)"
	}
	for {
		if text, ok := glossary()[key]; ok {
			return text, key
		}
		_, rest, found := strings.Cut(key, ".")
		if !found {
			return "", ""
		}
		key = rest
	}
}
