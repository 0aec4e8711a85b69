package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"

	"github.com/goccy/go-yaml"

	"github.com/compound-docs/compound-docs/rag"
)

//go:embed page.md.tmpl
var pageTemplate string

//go:embed glossary.yaml
var glossaryFile []byte

// glossary returns what fields mean that the schemas leave to their names.
func glossary() (entries map[string]string, err error) {
	err = yaml.Unmarshal(glossaryFile, &entries)
	return entries, err
}

// chapters are the page's order.
var chapters = []struct {
	title string
	tools []string
}{
	{"Find and ask", []string{"semantic_search", "rag_query", "search_external_docs", "rag_query_external", "search_handbook"}},
	{"Write and keep", []string{"list_doc_types", "index_document", "update_promotion_level", "delete_documents"}},
	{"Session", []string{"activate_project", "ping"}},
}

// meaning is what an error code says.
type meaning struct {
	Code    rag.Code
	Meaning string
}

// meanings are in the order of the page.
func meanings() []meaning {
	return []meaning{
		{rag.ProjectNotActivated, "No project is active, and the tool needs one: call `activate_project`."},
		{rag.InvalidArgument, "A parameter is missing, unknown, of another type or out of range. The message shows a correct value."},
		{rag.InvalidDocType, "The project has no such doc-type. The message lists those that it has."},
		{rag.DocumentNotFound, "There is no such file."},
		{rag.SchemaValidationFailed, "The front matter does not fit the doc-type. `details.violations` lists all that is wrong."},
		{rag.ExternalDocsNotConfigured, "The project's config names no external docs. `details.exampleConfig` shows how."},
		{rag.ExternalDocsNotPromotable, "External docs have no promotion level."},
		{rag.EmbeddingServiceError, "Ollama is away or fails. `details` has `circuit_state` and `retry_after_seconds`."},
		{rag.DatabaseError, "PostgreSQL is away or fails. The message says what to start or to correct."},
		{rag.FileSystemError, "A file cannot be read or written. The message names it, the reason and the remedy."},
		{rag.InternalError, "A bug, or surroundings that nobody foresaw. The server's log has the details."},
	}
}

// render fails on a tool that no chapter has, and on a field that nothing explains.
func render(known map[string]tool) ([]byte, error) {
	type chapter struct {
		Title string
		Tools []tool
	}
	var page []chapter
	rest := maps.Clone(known)
	for _, c := range chapters {
		described := chapter{Title: c.title}
		for _, name := range c.tools {
			t, ok := rest[name]
			if !ok {
				return nil, fmt.Errorf("there is no tool %s", name)
			}
			delete(rest, name)
			described.Tools = append(described.Tools, t)
		}
		page = append(page, described)
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("no chapter has %v", slices.Sorted(maps.Keys(rest)))
	}
	parsed, err := template.New("page").Funcs(template.FuncMap{
		"meanings": meanings,
		"code":     func(text any) string { return fmt.Sprintf("`%v`", text) },
		"trim":     func(text string) string { return strings.TrimRight(text, "\n") },
		"indent":   indent,
		"row":      row,
	}).Parse(pageTemplate)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = parsed.Execute(&b, page)
	return b.Bytes(), err
}

func indent(text json.RawMessage) (string, error) {
	var b bytes.Buffer
	err := json.Indent(&b, text, "", "  ")
	return b.String(), err
}

// row is one of a table.
func row(cells ...string) string {
	var b strings.Builder
	for _, cell := range cells {
		cell = strings.ReplaceAll(strings.ReplaceAll(cell, "\n", " "), "|", `\|`)
		b.WriteString(strings.TrimRight("| "+cell, " ") + " ")
	}
	return b.String() + "|"
}

// What is what the tool does; When are the sentences that address the assistant.
func (t tool) What() string { return t.sentences(false) }

// When is described with What.
func (t tool) When() string { return t.sentences(true) }

func (t tool) sentences(imperative bool) string {
	var found []string
	for sentence := range strings.SplitSeq(t.Description, ". ") {
		verb, _, _ := strings.Cut(sentence, " ")
		if (verb == "Use" || verb == "Call" || verb == "Not") == imperative {
			found = append(found, strings.TrimSuffix(sentence, ".")+".")
		}
	}
	return strings.Join(found, " ")
}

// FirstSentence is for the list at the top.
func (t tool) FirstSentence() string {
	sentence, _, _ := strings.Cut(t.Description, ". ")
	return strings.TrimSuffix(sentence, ".") + "."
}

// Answer returns the fields of an answer with what they mean.
func (t tool) Answer() ([]field, error) {
	entries, err := glossary()
	if err != nil {
		return nil, err
	}
	fields := t.output.fields("")
	for i := range fields {
		f := &fields[i]
		if f.Description == "" {
			key := explanation(entries, *f)
			if key == "" {
				return nil, fmt.Errorf("neither the schema nor the glossary explains %s", f.Path)
			}
			f.Description = entries[key]
		}
		if f.allowed != "" {
			f.Description += " It is " + f.allowed + "."
		}
		if f.optional {
			f.Kind += ", *optional*"
		}
	}
	return fields, nil
}

// explanation returns the key of the glossary's entry for a field, or "".
func explanation(entries map[string]string, f field) string {
	key := f.Path
	if strings.HasSuffix(f.Kind, "or null") {
		key += " (selection)"
	}
	for {
		if entries[key] != "" {
			return key
		}
		_, rest, found := strings.Cut(key, ".")
		if !found {
			return ""
		}
		key = rest
	}
}

// Example is the first call of the transcript that succeeds.
func (t tool) Example() exchange {
	return t.exchanges[slices.IndexFunc(t.exchanges, exchange.succeeds)]
}

// Failures are the errors of the transcript, the first of each code.
func (t tool) Failures() (failures []exchange) {
	seen := map[string]bool{}
	for _, e := range t.exchanges {
		if !e.succeeds() && !seen[e.Error.Code] {
			seen[e.Error.Code] = true
			failures = append(failures, e)
		}
	}
	return failures
}
