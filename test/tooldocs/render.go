package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"

	"go.yaml.in/yaml/v4"

	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/test/toolexample"
)

//go:embed page.md.tmpl
var pageTemplate string

//go:embed glossary.yaml
var glossaryFile []byte

// glossary explains the fields that the answers of several tools have. The page has each entry once.
func glossary() (entries map[string]string, err error) {
	err = yaml.Load(glossaryFile, &entries)
	return entries, err
}

// renderPage fails on a field of an answer that nothing explains.
func renderPage(groups []group) ([]byte, error) {
	parsed, err := template.New("page").Funcs(template.FuncMap{
		"code":    func(text any) string { return fmt.Sprintf("`%v`", text) },
		"trim":    func(text string) string { return strings.TrimRight(text, "\n") },
		"compact": compact,
		"short":   short,
		"shared":  func() ([]field, error) { return sharedFields(groups) },
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

// compact returns arguments on one line.
func compact(text json.RawMessage) (string, error) {
	var b bytes.Buffer
	err := json.Compact(&b, text)
	return b.String(), err
}

// short returns an example as indented JSON, with the first entry of each list alone.
func short(text json.RawMessage) (string, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return "", err
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(firstOfLists(value))
	return strings.TrimSuffix(b.String(), "\n"), err
}

func firstOfLists(value any) any {
	switch value := value.(type) {
	case []any:
		if len(value) > 0 {
			return []any{firstOfLists(value[0])}
		}
	case map[string]any:
		for name, inside := range value {
			value[name] = firstOfLists(inside)
		}
	}
	return value
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

// Repeats says that the answer looks like that of the tool for the project's own documents.
func (t tool) Repeats() bool { return strings.Contains(t.Name, "external") }

// OwnErrors returns the failures of the example file, without the codes that all tools share.
func (t tool) OwnErrors() []toolexample.Case {
	return slices.DeleteFunc(t.Failures(), func(c toolexample.Case) bool {
		return c.Error.Code == string(apierror.InvalidArgument) || c.Error.Code == string(apierror.ProjectNotActivated)
	})
}

// answer is the part of a tool's section about its answer.
type answer struct {
	// Outline names the shared fields, one line for each object.
	Outline []string
	// Own are the fields that only this tool explains.
	Own []field
}

// Answer fails on a field that nothing explains.
func (t tool) Answer() (answer, error) {
	explained, err := t.explained()
	if err != nil {
		return answer{}, err
	}
	var a answer
	var objects []string
	names := map[string][]string{} // of shared fields, by their object
	for _, f := range explained {
		object, name := f.place()
		if !f.shared {
			a.Own = append(a.Own, f)
			continue
		}
		text := "`" + name + "`"
		if f.allowed != "" && !strings.Contains(f.Description, f.allowed) {
			text += " (" + f.allowed + ")"
		}
		if f.optional {
			text += "?"
		}
		if names[object] == nil {
			objects = append(objects, object)
		}
		names[object] = append(names[object], text)
	}
	for _, object := range objects {
		place := "**Answer**"
		if object != "" {
			place = "In `" + object + "`"
		}
		a.Outline = append(a.Outline, place+": "+strings.Join(names[object], ", ")+".")
	}
	return a, nil
}

// explained returns the fields of an answer with what they mean.
func (t tool) explained() ([]field, error) {
	general, err := glossary()
	if err != nil {
		return nil, err
	}
	found := fields(t.output(), "")
	for i := range found {
		f := &found[i]
		own, _ := explanation(t.Fields, f.Path)
		shared, _ := explanation(general, f.Path)
		f.Description, f.shared = cmp.Or(own, shared), own == ""
		if f.Description == "" {
			return nil, fmt.Errorf("nothing explains %s in the answer of %s; add it to \"fields\" in its example file", f.Path, t.Name)
		}
		if f.allowed != "" && !f.shared {
			f.Description += " It is " + f.allowed + "."
		}
	}
	return found, nil
}

// sharedFields returns the entries of the glossary with the kinds of their fields.
func sharedFields(groups []group) ([]field, error) {
	general, err := glossary()
	if err != nil {
		return nil, err
	}
	kinds := map[string]string{}
	for _, g := range groups {
		for _, t := range g.Tools {
			explained, err := t.explained()
			if err != nil {
				return nil, err
			}
			for _, f := range explained {
				if _, key := explanation(general, f.Path); f.shared {
					kinds[key] = f.Kind
				}
			}
		}
	}
	var entries []field
	for _, key := range slices.Sorted(maps.Keys(general)) {
		entries = append(entries, field{Path: key, Kind: kinds[key], Description: general[key]})
	}
	return entries, nil
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
