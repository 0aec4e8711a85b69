package project

import (
	"fmt"

	"github.com/compound-docs/compound-docs/internal/jsonschema"
)

// compileShortForm compiles a schema in the short form, a list of fields with their types, to a JSON
// Schema. The error is a *ConfigError.
func compileShortForm(file string, doc any) (*jsonschema.Schema, error) {
	form, err := embeddedSchema("shortform.schema.json", "")
	if err != nil {
		return nil, err
	}
	if err := keyError(file, form.Check(doc)); err != nil {
		return nil, err
	}
	properties := map[string]any{}
	required := []any{}
	for _, list := range []string{"required_fields", "optional_fields"} {
		fields, _ := jsonschema.ValueAt(doc, []string{list}).([]any)
		for i, entry := range fields {
			field, _ := entry.(map[string]any)
			name, _ := field["name"].(string)
			if _, twice := properties[name]; twice {
				return nil, &ConfigError{
					Path: file, Key: fmt.Sprintf("%s[%d].name", list, i),
					Problem: fmt.Sprintf("is %q, a field that is declared before", name),
					Hint:    "Declare each field once, as required or as optional.",
				}
			}
			if field["type"] == "enum" && field["values"] == nil {
				return nil, &ConfigError{
					Path: file, Key: fmt.Sprintf("%s[%d].values", list, i), Problem: "is missing",
					Hint: `Write a list of what it may be, for example "values": ["stable","beta"].`,
				}
			}
			property := fieldSchema(field)
			if description, ok := field["description"].(string); ok {
				property["description"] = description
			}
			properties[name] = property
			if list == "required_fields" {
				required = append(required, name)
			}
		}
	}
	common, err := embeddedJSON("schemas/common.json")
	if err != nil {
		return nil, err
	}
	own := map[string]any{
		"$schema":    "https://json-schema.org/draft/2020-12/schema",
		"type":       "object",
		"allOf":      []any{map[string]any{"$ref": "common.json#/$defs/custom"}},
		"required":   required,
		"properties": properties,
	}
	s, err := jsonschema.Compile(map[string]any{"schema": own, "common.json": common}, "schema", "")
	if err != nil {
		return nil, schemaError(file, err)
	}
	return s, nil
}

// fieldSchema returns the JSON Schema of one field of the short form.
func fieldSchema(field map[string]any) map[string]any {
	values, limited := field["values"].([]any)
	switch kind := field["type"]; {
	case kind == "array" && limited:
		return map[string]any{"type": "array", "items": map[string]any{"enum": values}}
	case kind == "array":
		return map[string]any{"type": "array"}
	case limited: // an enum, or a type that is narrowed to some values
		return map[string]any{"enum": values}
	case kind == "string":
		return map[string]any{"type": "string", "minLength": 1}
	case kind == "date":
		return map[string]any{"type": "string", "format": "date"}
	default:
		return map[string]any{"type": kind}
	}
}
