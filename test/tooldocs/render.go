package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"text/template"

	"github.com/goccy/go-yaml"

	"github.com/compound-docs/compound-docs/rag"
)

//go:embed page.md.tmpl
var pageTemplate string

//go:embed glossary.yaml
var glossaryFile []byte

// glossary explains the fields that the answers of several tools have.
func glossary() (entries map[string]string, err error) {
	err = yaml.Unmarshal(glossaryFile, &entries)
	return entries, err
}

// meaning explains an error code.
type meaning struct {
	Code    rag.Code
	Meaning string
}

// meanings are in the order of docs/tools.md.
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
		{rag.InternalError, "A bug, or an environment that the program does not support. The server's log has the details."},
	}
}

// renderPage fails on a field of an answer that nothing explains.
func renderPage(groups []group) ([]byte, error) {
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
	err = parsed.Execute(&b, groups)
	return b.Bytes(), err
}

func indent(text json.RawMessage) (string, error) {
	var b bytes.Buffer
	err := json.Indent(&b, text, "", "  ")
	return b.String(), err
}

// row returns a row of a table.
func row(cells ...string) string {
	var b strings.Builder
	for _, cell := range cells {
		cell = strings.ReplaceAll(strings.ReplaceAll(cell, "\n", " "), "|", `\|`)
		b.WriteString(strings.TrimRight("| "+cell, " ") + " ")
	}
	return b.String() + "|"
}

// What returns the sentences of the description that say what the tool does.
func (t tool) What() string { return t.sentences(false) }

// When returns those that tell the assistant when to use it.
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

// RowsOfAnswer returns the fields of an answer with what they mean.
func (t tool) RowsOfAnswer() ([]field, error) {
	general, err := glossary()
	if err != nil {
		return nil, err
	}
	fields := t.output.fields("")
	for i := range fields {
		f := &fields[i]
		if f.Description == "" {
			own, _ := explanation(t.Fields, f.Path)
			shared, _ := explanation(general, f.Path)
			f.Description = cmp.Or(own, shared)
		}
		if f.Description == "" {
			return nil, fmt.Errorf("nothing explains %s in the answer of %s; add it to \"fields\" in its example file", f.Path, t.Name)
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

// explanation returns the entry for a field and its key, which is the field's path
// or the end of it.
func explanation(entries map[string]string, path string) (text, key string) {
	for found := true; found; _, path, found = strings.Cut(path, ".") {
		if entries[path] != "" {
			return entries[path], path
		}
	}
	return "", ""
}
