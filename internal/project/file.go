package project

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/compound-docs/compound-docs/internal/project/jsonschema"
	"github.com/compound-docs/compound-docs/internal/project/yamlvalue"
)

// decode checks the content of a JSON file against an embedded schema, decodes it into dst, and returns it as a map.
// Fields of dst that the file does not set keep their values. example is valid content, for error messages. The error
// is a *ConfigError.
func decode(path string, content []byte, schema, example string, dst any) (map[string]any, error) {
	value, err := parseJSON(path, bytes.TrimPrefix(content, []byte("\xef\xbb\xbf")), example)
	if err != nil {
		return nil, err
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, &ConfigError{Path: path, Problem: jsonschema.State(value), Hint: "Write an object, for example " + example + "."}
	}
	_, err = parseYAML(path, content) // JSON is YAML, and only the YAML decoder notices a key that is given twice
	if twice, ok := errors.AsType[*yamlvalue.Error](err); ok && twice.Problem == "is given twice" {
		return nil, &ConfigError{Path: path, Key: twice.Key, Problem: twice.Problem, Hint: "Remove one of the two."}
	}
	if err := keyError(path, embeddedSchema(schema, "")().Check(value)); err != nil {
		return nil, err
	}
	checked, err := json.Marshal(value) // writes 2.0 as 2, which fits an int
	if err != nil {
		return nil, fmt.Errorf("write %s as checked: %w", path, err)
	}
	if err := json.Unmarshal(checked, dst); err != nil {
		return nil, &ConfigError{Path: path, Problem: err.Error(), Hint: "Compare it with " + example + ".", Err: err}
	}
	return object, nil
}

// parseJSON decodes one JSON value. example is valid content, for error messages. The error is a *ConfigError. For a
// syntax error it names line and column.
func parseJSON(path string, data []byte, example string) (any, error) {
	hint := "Every key and text stands in double quotes, entries are separated by commas, with none after " +
		"the last, and there are no comments; for example " + example + "."
	if !utf8.Valid(data) {
		return nil, &ConfigError{Path: path, Problem: "is not UTF-8 text", Hint: "Save it with the encoding UTF-8."}
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, &ConfigError{Path: path, Problem: "is empty", Hint: "Write for example " + example + "."}
	}
	if line := ConflictLine(data); line > 0 {
		return nil, &ConfigError{
			Path: path, Problem: fmt.Sprintf("line %d: git has left the marks of a merge conflict", line),
			Hint: "Keep one of the two sides, and remove the lines that begin with <<<<<<<, ======= and >>>>>>>.",
		}
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		return nil, &ConfigError{Path: path, Problem: jsonProblem(data, err), Hint: hint}
	}
	return value, nil
}

// jsonProblem says where and why data is not valid JSON.
func jsonProblem(data []byte, err error) string {
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	if !ok { // a number is out of range
		return fmt.Sprintf("cannot be read: %.100s", err)
	}
	before := data[:max(0, syntax.Offset-1)] // the offset includes the wrong byte
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Sprintf("line %d, column %d: %v", line, column, err)
}

const maxYAMLBytes = 256 << 10

// parseYAML decodes one YAML document into JSON values. A syntax error is a *ConfigError with line and column.
func parseYAML(path string, data []byte) (any, error) {
	const example = `type: object`
	if !utf8.Valid(data) {
		return nil, &ConfigError{Path: path, Problem: "is not UTF-8 text", Hint: "Save it with the encoding UTF-8."}
	}
	if len(data) > maxYAMLBytes {
		return nil, &ConfigError{
			Path: path, Problem: fmt.Sprintf("is larger than %d KiB", maxYAMLBytes>>10),
			Hint: "Shorten it; such a file has a few kilobytes.",
		}
	}
	limits := yamlvalue.Limits{Depth: jsonschema.MaxDepth, Values: 25_000, Text: maxYAMLBytes}
	doc, err := yamlvalue.Decode(string(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))), limits)
	if e, ok := errors.AsType[*yamlvalue.Error](err); ok {
		subject := "the file"
		if e.Key != "" {
			subject = fmt.Sprintf("the key %q", e.Key)
		}
		return nil, &ConfigError{
			Path: path, Problem: fmt.Sprintf("line %d, column %d: %s %s", e.Line, e.Column, subject, e.Problem),
			Hint: "Write plain YAML, for example " + example + ".", Err: e,
		}
	}
	if doc.Value == nil {
		return nil, &ConfigError{Path: path, Problem: "is empty", Hint: "Write for example " + example + "."}
	}
	return doc.Value, nil
}
