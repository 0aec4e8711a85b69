package tools_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// jsonSchema is what of JSON Schema the tools use.
type jsonSchema struct {
	Type                 any                   `json:"type"`
	Properties           map[string]jsonSchema `json:"properties"`
	Required             []string              `json:"required"`
	Items                *jsonSchema           `json:"items"`
	Enum                 []string              `json:"enum"`
	Default              json.RawMessage       `json:"default"`
	Minimum              *float64              `json:"minimum"`
	Maximum              *float64              `json:"maximum"`
	MinLength            *float64              `json:"minLength"`            //nolint:tagliatelle // JSON Schema's name
	MaxLength            *float64              `json:"maxLength"`            //nolint:tagliatelle // JSON Schema's name
	AdditionalProperties any                   `json:"additionalProperties"` //nolint:tagliatelle // JSON Schema's name
}

func decodeSchema(t *testing.T, value any) jsonSchema {
	t.Helper()
	encoded, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonSchema
	if err := json.Unmarshal(encoded, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// kind writes a type as the lines of a contract do.
func (s jsonSchema) kind() string {
	kind, _ := s.Type.(string)
	if types, ok := s.Type.([]any); ok {
		kind = fmt.Sprintf("%v or %v", types[1], types[0])
	}
	if len(s.Enum) > 0 {
		kind += " " + strings.Join(s.Enum, "|")
	}
	return kind + span(s.Minimum, s.Maximum) + span(s.MinLength, s.MaxLength)
}

func span(low, high *float64) string {
	text := func(bound *float64) string {
		if bound == nil {
			return ""
		}
		return strconv.FormatFloat(*bound, 'f', -1, 64)
	}
	if low == nil && high == nil {
		return ""
	}
	return " " + text(low) + ".." + text(high)
}

// parameters writes an input schema as the lines of a contract.
func (s jsonSchema) parameters() []string {
	var lines []string
	for name, p := range s.Properties {
		line := s.key(name) + ": " + p.kind()
		if p.Items != nil {
			line += " of " + p.Items.kind()
		}
		if p.Default != nil {
			line += " = " + string(p.Default)
		}
		lines = append(lines, line)
	}
	return lines
}

// fields writes an output schema as the lines of a contract.
func (s jsonSchema) fields(prefix string) []string {
	var lines []string
	for name, p := range s.Properties {
		path := prefix + s.key(name)
		lines = append(lines, path+": "+p.kind())
		lines = append(lines, p.fields(path+".")...)
		if p.Items != nil {
			lines = append(lines, p.Items.fields(path+"[].")...)
		}
	}
	return lines
}

func (s jsonSchema) key(name string) string {
	if slices.Contains(s.Required, name) {
		return name
	}
	return name + "?"
}

// field is a line of a contract about an answer.
type field struct {
	types    []string
	enum     []string
	optional bool
}

// fieldsOf returns the fields by their paths, without question marks.
func (c contract) fieldsOf() map[string]field {
	fields := map[string]field{}
	for _, line := range slices.Concat(c.answer, c.ours, indexFields()) {
		path, kind, _ := strings.Cut(line, ": ")
		f := field{optional: strings.HasSuffix(path, "?")}
		first, enum, _ := strings.Cut(kind, " ")
		f.types = []string{first}
		switch {
		case enum == "or null":
			f.types = append(f.types, "null")
		case enum != "":
			f.enum = strings.Split(enum, "|")
		}
		fields[strings.ReplaceAll(path, "?", "")] = f
	}
	return fields
}

// check compares an answer with the contract: no field is missing, of another
// type, or unknown. It notes the paths that it meets in seen.
func (c contract) check(t *testing.T, structured json.RawMessage, seen map[string]bool) {
	t.Helper()
	var value map[string]any
	if err := json.Unmarshal(structured, &value); err != nil {
		t.Fatal(err)
	}
	checkObject(t, c.fieldsOf(), "", value, seen)
}

func checkObject(t *testing.T, fields map[string]field, prefix string, object map[string]any, seen map[string]bool) {
	t.Helper()
	for path, f := range fields { // those of the object itself, not of what is in it
		name, inside := strings.CutPrefix(path, prefix)
		if _, ok := object[name]; inside && !ok && !f.optional && !strings.ContainsAny(name, ".[") {
			t.Errorf("the answer lacks %s", path)
		}
	}
	for name, value := range object {
		path := prefix + name
		f, ok := fields[path]
		if !ok {
			t.Errorf("the answer has the unspecified %s", path)
			continue
		}
		seen[path] = true
		kinds := kindsOf(value)
		if !slices.ContainsFunc(f.types, func(kind string) bool { return slices.Contains(kinds, kind) }) {
			t.Errorf("%s is %v, want %v", path, kinds, f.types)
		}
		if text, _ := value.(string); len(f.enum) > 0 && !slices.Contains(f.enum, text) {
			t.Errorf("%s is %q, want one of %v", path, text, f.enum)
		}
		switch value := value.(type) {
		case map[string]any:
			checkObject(t, fields, path+".", value, seen)
		case []any:
			for _, item := range value {
				object, _ := item.(map[string]any)
				checkObject(t, fields, path+"[].", object, seen)
			}
		}
	}
}

// kindsOf returns the types of JSON Schema that a value has.
func kindsOf(value any) []string {
	switch value := value.(type) {
	case nil:
		return []string{"null"}
	case bool:
		return []string{"boolean"}
	case string:
		return []string{"string"}
	case []any:
		return []string{"array"}
	case float64:
		if value == math.Trunc(value) {
			return []string{"integer", "number"}
		}
		return []string{"number"}
	default:
		return []string{"object"}
	}
}
