package project

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/token"

	"github.com/compound-docs/compound-docs/internal/jsonschema"
	"github.com/compound-docs/compound-docs/internal/yamlbound"
)

// Bounds on a schema's YAML; see package yamlbound. A schema has few thousand values at most.
const (
	maxYAMLBytes  = 256 << 10
	maxYAMLTokens = 25_000
	maxYAMLKeys   = 2_500
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
	if len(data) > maxYAMLBytes {
		return nil, &ConfigError{
			Path: path, Problem: fmt.Sprintf("is larger than %d KiB", maxYAMLBytes>>10),
			Hint: "Shorten it; such a file has a few kilobytes.",
		}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	tokens, err := yamlbound.Tokens(string(data), yamlbound.Limits{
		Depth: jsonschema.MaxDepth, Tokens: maxYAMLTokens, Keys: maxYAMLKeys, Aliases: maxYAMLTokens,
	})
	var exceeded *yamlbound.Error
	if errors.As(err, &exceeded) {
		return nil, at(&token.Token{Position: &token.Position{Line: exceeded.Line, Column: exceeded.Column}}, exceeded.Problem)
	}
	if tk, problem := forbiddenYAML(tokens); problem != "" {
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
