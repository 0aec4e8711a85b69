package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/test/toolexample"
)

// tool is a declared tool with its example file.
type tool struct {
	*mcp.Tool
	toolexample.File

	input, output schema
}

// schema is the part of JSON Schema that the tools use.
type schema struct {
	Type        any               `json:"type"`
	Description string            `json:"description"`
	Properties  map[string]schema `json:"properties"`
	Required    []string          `json:"required"`
	Items       *schema           `json:"items"`
	Enum        []string          `json:"enum"`
	Default     json.RawMessage   `json:"default"`
	Minimum     *float64          `json:"minimum"`
	Maximum     *float64          `json:"maximum"`
	MinLength   *int              `json:"minLength"` //nolint:tagliatelle // JSON Schema's name
	MaxLength   *int              `json:"maxLength"` //nolint:tagliatelle // JSON Schema's name
}

// readSchemas decodes the schemas of a tool.
func readSchemas(declared *mcp.Tool) (input, output schema, err error) {
	err = errors.Join(convert(declared.InputSchema, &input), convert(declared.OutputSchema, &output))
	return input, output, err
}

func convert(from any, to *schema) error {
	encoded, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(encoded, to)
}

// names returns the required properties in their order, then the others sorted.
func (s schema) names() []string {
	names := slices.Clone(s.Required)
	var others []string
	for name := range s.Properties {
		if !slices.Contains(names, name) {
			others = append(others, name)
		}
	}
	sort.Strings(others)
	return append(names, others...)
}

// kind returns the type in words.
func (s schema) kind() string {
	switch t := s.Type.(type) {
	case []any:
		kinds := make([]string, 0, len(t))
		for _, kind := range t {
			kinds = append(kinds, fmt.Sprint(kind))
		}
		slices.Reverse(kinds) // "null" comes first
		return strings.Join(kinds, " or ")
	case string:
		if s.Items != nil {
			return t + " of " + s.Items.kind()
		}
		return t
	default:
		return "any"
	}
}

// allowed returns the allowed values in words, or "".
func (s schema) allowed() string {
	if s.Items != nil {
		return s.Items.allowed()
	}
	switch {
	case len(s.Enum) > 0:
		quoted := make([]string, len(s.Enum))
		for i, value := range s.Enum {
			quoted[i] = "`" + value + "`"
		}
		last := len(quoted) - 1
		return strings.Join(append([]string{strings.Join(quoted[:max(last, 1)], ", ")}, quoted[max(last, 1):]...), " or ")
	case s.Minimum != nil && s.Maximum != nil:
		return strconv.FormatFloat(*s.Minimum, 'f', -1, 64) + " to " + strconv.FormatFloat(*s.Maximum, 'f', -1, 64)
	case s.MaxLength != nil:
		return fmt.Sprintf("up to %d characters", *s.MaxLength)
	case s.MinLength != nil:
		return "not empty"
	default:
		return ""
	}
}

// describe splits a description into its text and the default that it ends with. The
// default of the schema overrides the latter.
func (s schema) describe() (description, byDefault string) {
	description, byDefault, _ = strings.Cut(s.Description, " Default: ")
	byDefault = strings.TrimSuffix(byDefault, ".")
	if s.Default != nil {
		byDefault = "`" + string(s.Default) + "`"
	}
	return description, byDefault
}

// parameter is a row of the table of a tool's arguments.
type parameter struct {
	Name, Kind, Required, Default, Allowed, Description string
}

// Parameters returns the arguments of the tool.
func (t tool) Parameters() (parameters []parameter) {
	for _, name := range t.input.names() {
		s := t.input.Properties[name]
		p := parameter{Name: name, Kind: s.kind(), Required: "no", Allowed: s.allowed()}
		if slices.Contains(t.input.Required, name) {
			p.Required = "yes"
		}
		p.Description, p.Default = s.describe()
		parameters = append(parameters, p)
	}
	return parameters
}

// field is a row of the table about an answer.
type field struct {
	Path, Kind, Description string

	allowed  string
	optional bool
}

// fields returns all fields of an answer, each followed by those inside it.
func (s schema) fields(prefix string) []field {
	var fields []field
	for _, name := range s.names() {
		p := s.Properties[name]
		path := prefix + name
		fields = append(fields, field{
			Path: path, Kind: p.kind(), Description: p.Description, allowed: p.allowed(),
			optional: !slices.Contains(s.Required, name),
		})
		if p.Items != nil {
			fields = append(fields, p.Items.fields(path+"[].")...)
		}
		fields = append(fields, p.fields(path+".")...)
	}
	return fields
}
