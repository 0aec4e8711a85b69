package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"text/template"

	"go.yaml.in/yaml/v4"

	"github.com/compound-docs/compound-docs/rag/apierror"
)

//go:embed page.md.tmpl
var pageTemplate string

//go:embed glossary.yaml
var glossaryFile []byte

// glossary explains the fields that the answers of several tools have.
func glossary() (entries map[string]string, err error) {
	err = yaml.Load(glossaryFile, &entries)
	return entries, err
}

// renderPage fails on a field of an answer that nothing explains.
func renderPage(groups []group) ([]byte, error) {
	parsed, err := template.New("page").Funcs(template.FuncMap{
		"code":   func(text any) string { return fmt.Sprintf("`%v`", text) },
		"trim":   func(text string) string { return strings.TrimRight(text, "\n") },
		"indent": indent,
		"row":    row,
		"errorRow": func(code apierror.Code, meaning string) string {
			exit := "1"
			if code.IsUsage() {
				exit = "2"
			}
			return row("`"+string(code)+"`", exit, meaning)
		},
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

// What returns the sentences of the description about the effect of the tool.
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
	found := fields(t.output(), "")
	for i := range found {
		f := &found[i]
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
	}
	return found, nil
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
