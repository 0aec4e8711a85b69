package project

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/goccy/go-yaml/token"

	"github.com/compound-docs/compound-docs/internal/jsonschema"
	"github.com/compound-docs/compound-docs/internal/yamlbound"
)

const maxYAMLBytes = 256 << 10

// yamlLimits bounds a schema's YAML. A real schema has a few thousand values at most.
func yamlLimits() yamlbound.Limits {
	return yamlbound.Limits{
		Depth: jsonschema.MaxDepth, Tokens: 25_000, Keys: 2_500, Aliases: 25_000, // parseYAML refuses all aliases
		Values: 25_000, Text: maxYAMLBytes,
	}
}

// parseYAML decodes one YAML document into the values that [parseJSON] returns. Anchors, aliases,
// tags and complex keys are errors: a schema needs none of them.
// The error is a *ConfigError that names line and column.
func parseYAML(path string, data []byte) (any, error) {
	const example = `required_fields: [{name: endpoint, type: string}]`
	if !utf8.Valid(data) {
		return nil, &ConfigError{Path: path, Problem: "is not UTF-8 text", Hint: "Save it with the encoding UTF-8."}
	}
	at := func(line, column int, problem string) error {
		return &ConfigError{
			Path: path, Problem: fmt.Sprintf("line %d, column %d: %s", line, column, problem),
			Hint: "Write plain YAML, for example " + example + ".",
		}
	}
	explain := func(err error) error {
		e, ok := errors.AsType[*yamlbound.Error](err)
		switch {
		case !ok:
			return at(1, 1, err.Error())
		case e.Key != "":
			return at(e.Line, e.Column, fmt.Sprintf("the key %q %s", e.Key, e.Problem))
		case e.Kind == yamlbound.BadValue:
			return at(e.Line, e.Column, "the file "+e.Problem)
		default:
			return at(e.Line, e.Column, e.Problem)
		}
	}
	if len(data) > maxYAMLBytes {
		return nil, &ConfigError{
			Path: path, Problem: fmt.Sprintf("is larger than %d KiB", maxYAMLBytes>>10),
			Hint: "Shorten it; such a file has a few kilobytes.",
		}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	tokens, err := yamlbound.Tokens(string(data), yamlLimits())
	if err != nil {
		return nil, explain(err)
	}
	if tk, problem := forbiddenYAML(tokens); problem != "" {
		return nil, at(tk.Position.Line, tk.Position.Column, problem)
	}
	doc, err := yamlbound.Decode(tokens, yamlLimits())
	if err != nil {
		return nil, explain(err)
	}
	if doc.Value == nil {
		return nil, &ConfigError{Path: path, Problem: "is empty", Hint: "Write for example " + example + "."}
	}
	text, err := json.Marshal(doc.Value)
	if err != nil {
		return nil, at(1, 1, err.Error())
	}
	return parseJSON(path, text)
}

// forbiddenYAML returns the first token that parseYAML does not allow, and why; "" if there is none.
func forbiddenYAML(tokens token.Tokens) (tk *token.Token, problem string) {
	for i, tk := range tokens {
		switch tk.Type { //nolint:exhaustive // the others are harmless
		case token.AnchorType, token.AliasType, token.MergeKeyType:
			return tk, "anchors and aliases can't be used here; write the value out"
		case token.TagType:
			return tk, "tags can't be used here; leave the tag out"
		case token.MappingKeyType:
			return tk, `a key that begins with "?" can't be used here; write key: value`
		case token.DocumentHeaderType:
			if i > 0 {
				return tk, "a second document begins here; keep one to a file"
			}
		}
	}
	return nil, ""
}
