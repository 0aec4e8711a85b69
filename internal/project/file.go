package project

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/compound-docs/compound-docs/internal/jsonschema"
	"github.com/compound-docs/compound-docs/internal/yamlvalue"
)

// decode checks the content of a JSON file against an embedded schema and decodes it into dst,
// whose fields keep what they hold where the file does not set them. A byte order mark is
// dropped. value is what the content was parsed to. The error is a *ConfigError.
func decode(path string, content []byte, schema string, dst any) (value any, err error) {
	data := bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	if value, err = parseJSON(path, data); err != nil {
		return nil, err
	}
	s, err := embeddedSchema(schema, "")
	if err == nil {
		err = keyError(path, s.Check(value))
	}
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(data, dst)
	var badType *json.UnmarshalTypeError
	switch {
	case err == nil:
		return value, nil
	case errors.As(err, &badType): // 3.0 is an integer to JSON Schema and not to encoding/json
		return nil, &ConfigError{
			Path: path, Key: badType.Field, Problem: fmt.Sprintf("is written as %.60s", badType.Value),
			Hint: "Write a whole number without a decimal point or exponent, for example 3.", Err: err,
		}
	default:
		return nil, &ConfigError{Path: path, Problem: err.Error(), Hint: "Compare it with " + minimalConfig + ".", Err: err}
	}
}

// parseJSON decodes one JSON value strictly: no trailing data, no key given twice. Numbers are
// float64. The error is a *ConfigError that names line and column.
func parseJSON(path string, data []byte) (any, error) {
	const hint = "Every key and text stands in double quotes, entries are separated by commas, with none after " +
		"the last, and there are no comments; for example " + minimalConfig + "."
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) || !utf8.Valid(data) {
		return nil, &ConfigError{Path: path, Problem: "is not UTF-8 text", Hint: "Save it with the encoding UTF-8."}
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, &ConfigError{Path: path, Problem: "is empty", Hint: "Write for example " + minimalConfig + "."}
	}
	at := func(offset int64, problem string) error {
		line, column := position(data, offset)
		return &ConfigError{
			Path:    path,
			Problem: fmt.Sprintf("line %d, column %d: %s", line, column, problem),
			Hint:    hint,
		}
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		var syntax *json.SyntaxError
		var badType *json.UnmarshalTypeError
		switch {
		case errors.As(err, &syntax) && strings.Contains(syntax.Error(), "unexpected end"):
			return nil, at(int64(len(data))+1, "the file ends too early: a closing bracket or quote is missing")
		case errors.As(err, &syntax):
			return nil, at(syntax.Offset, syntax.Error())
		case errors.As(err, &badType):
			return nil, at(badType.Offset-1, fmt.Sprintf("%.60s is out of range", badType.Value))
		default:
			return nil, at(1, err.Error())
		}
	}
	if key, offset, ok := duplicateKey(json.NewDecoder(bytes.NewReader(data))); ok {
		return nil, at(offset, fmt.Sprintf("the key %.60q is given twice", key))
	}
	return value, nil
}

// position converts an offset that encoding/json reports to a line and a column, both from 1; the
// column is in characters. The offset includes the offending byte.
func position(data []byte, offset int64) (line, column int) {
	before := data[:max(0, min(offset-1, int64(len(data))))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}

// duplicateKey returns a key that occurs twice in one object of a value, and the offset of the key's
// last character. The value must be valid.
func duplicateKey(value *json.Decoder) (key string, offset int64, found bool) {
	token, _ := value.Token() // it is valid
	keys := map[string]bool{}
	for (token == json.Delim('{') || token == json.Delim('[')) && value.More() {
		if token == json.Delim('{') {
			name, _ := value.Token()
			key, _ := name.(string)
			if keys[key] {
				return key, value.InputOffset(), true
			}
			keys[key] = true
		}
		if key, offset, found = duplicateKey(value); found {
			return key, offset, true
		}
	}
	if _, isDelim := token.(json.Delim); isDelim {
		_, _ = value.Token() // the end of the object or list
	}
	return "", 0, false
}

const maxYAMLBytes = 256 << 10

// yamlLimits bounds a schema's YAML. A real schema has a few thousand values at most.
func yamlLimits() yamlvalue.Limits {
	return yamlvalue.Limits{Depth: jsonschema.MaxDepth, Values: 25_000, Text: maxYAMLBytes}
}

// parseYAML decodes one YAML document into the values that [parseJSON] returns. The error
// is a *ConfigError that names line and column.
func parseYAML(path string, data []byte) (any, error) {
	const example = `required_fields: [{name: endpoint, type: string}]`
	if !utf8.Valid(data) {
		return nil, &ConfigError{Path: path, Problem: "is not UTF-8 text", Hint: "Save it with the encoding UTF-8."}
	}
	if len(data) > maxYAMLBytes {
		return nil, &ConfigError{
			Path: path, Problem: fmt.Sprintf("is larger than %d KiB", maxYAMLBytes>>10),
			Hint: "Shorten it; such a file has a few kilobytes.",
		}
	}
	doc, err := yamlvalue.Decode(string(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))), yamlLimits())
	if e, ok := errors.AsType[*yamlvalue.Error](err); ok {
		subject := "the file"
		if e.Key != "" {
			subject = fmt.Sprintf("the key %q", e.Key)
		}
		return nil, &ConfigError{
			Path: path, Problem: fmt.Sprintf("line %d, column %d: %s %s", e.Line, e.Column, subject, e.Problem),
			Hint: "Write plain YAML, for example " + example + ".",
		}
	}
	if err != nil {
		return nil, fmt.Errorf("decode %s: %w", path, err)
	}
	if doc.Value == nil {
		return nil, &ConfigError{Path: path, Problem: "is empty", Hint: "Write for example " + example + "."}
	}
	text, err := json.Marshal(doc.Value)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", path, err)
	}
	return parseJSON(path, text)
}
