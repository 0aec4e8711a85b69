package project

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/compound-docs/compound-docs/internal/jsonschema"
	"github.com/compound-docs/compound-docs/internal/yamlvalue"
)

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
