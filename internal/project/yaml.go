package project

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"

	"github.com/compound-docs/compound-docs/internal/jsonschema"
)

// Bounds on a schema's YAML. The parser takes time quadratic in both, and without them a file of
// 100 kilobytes keeps it busy for a minute.
const (
	maxYAMLTokens = 50_000
	maxYAMLDepth  = jsonschema.MaxDepth
)

// parseYAML decodes one YAML document into the values that [parseJSON] returns. Anchors, aliases,
// tags and complex keys are refused: a schema needs none of them, and each can be made to blow up.
// The error is a *ConfigError that names line and column.
func parseYAML(path string, data []byte) (any, error) {
	const example = `required_fields: [{name: endpoint, type: string}]`
	if !utf8.Valid(data) {
		return nil, &ConfigError{Path: path, Problem: "is not UTF-8 text", Hint: "Save it with the encoding UTF-8."}
	}
	at := func(tk *token.Token, problem string) error {
		line, column := 1, 1
		if tk != nil && tk.Position != nil {
			line, column = tk.Position.Line, tk.Position.Column
		}
		return &ConfigError{
			Path: path, Problem: fmt.Sprintf("line %d, column %d: %s", line, column, problem),
			Hint: "Write plain YAML, for example " + example + ".",
		}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if tk, problem := forbiddenYAML(lexer.Tokenize(string(data))); problem != "" {
		return nil, at(tk, problem)
	}
	var decoded any
	if err := yaml.Unmarshal(data, &decoded); err != nil {
		if syntax, ok := errors.AsType[yaml.Error](err); ok {
			return nil, at(syntax.GetToken(), syntax.GetMessage())
		}
		return nil, at(nil, err.Error())
	}
	if decoded == nil {
		return nil, &ConfigError{Path: path, Problem: "is empty", Hint: "Write for example " + example + "."}
	}
	text, err := json.Marshal(decoded)
	if err != nil {
		return nil, at(nil, "a value is not a text, a number or true or false: "+err.Error())
	}
	return parseJSON(path, text)
}

// forbiddenYAML returns the first token that is refused, and why.
func forbiddenYAML(tokens token.Tokens) (tk *token.Token, problem string) {
	depth, dashes, line := 0, 0, 0
	for i, tk := range tokens {
		if i == maxYAMLTokens {
			return tk, "the file is too complex"
		}
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
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		case token.SequenceEntryType:
			if tk.Position.Line != line {
				line, dashes = tk.Position.Line, 0
			}
			dashes++
		}
		if depth > maxYAMLDepth || dashes > maxYAMLDepth {
			return tk, "it is nested too deeply"
		}
	}
	return nil, ""
}
