package project

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/compound-docs/compound-docs/internal/jsonschema"
)

// decodeFile parses the content of a JSON file. A byte order mark is dropped. The error is a
// *ConfigError.
func decodeFile(path string, content []byte) (data []byte, value any, err error) {
	data = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	value, err = parseJSON(path, data)
	return data, value, err
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
			return nil, at(badType.Offset-1, badType.Value+" is out of range")
		default:
			return nil, at(1, err.Error())
		}
	}
	if key, offset, ok := duplicateKey(data); ok {
		return nil, at(offset, fmt.Sprintf("the key %q is given twice", key))
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

// duplicateKey returns the first key that occurs twice in one object, and the offset of the key's
// last character. data must be valid JSON.
func duplicateKey(data []byte) (key string, offset int64, found bool) {
	type level struct {
		keys    map[string]bool // nil in an array
		wantKey bool
	}
	var stack []*level
	dec := json.NewDecoder(bytes.NewReader(data))
	for {
		token, err := dec.Token()
		if err != nil { // io.EOF: the caller has found the text valid
			return "", 0, false
		}
		var top *level
		if len(stack) > 0 {
			top = stack[len(stack)-1]
		}
		if name, ok := token.(string); ok && top != nil && top.wantKey {
			if top.keys[name] {
				return name, dec.InputOffset(), true
			}
			top.keys[name], top.wantKey = true, false
			continue
		}
		switch token {
		case json.Delim('{'):
			stack = append(stack, &level{keys: map[string]bool{}, wantKey: true})
			continue
		case json.Delim('['):
			stack = append(stack, &level{})
			continue
		case json.Delim('}'), json.Delim(']'):
			stack = stack[:len(stack)-1]
		}
		if len(stack) > 0 {
			stack[len(stack)-1].wantKey = stack[len(stack)-1].keys != nil
		}
	}
}

// decodeInto checks value against s and then decodes data into dst. value is what data was parsed
// to. Fields that data does not set keep what dst holds. The error is a *ConfigError.
func decodeInto(path string, data []byte, value any, s *jsonschema.Schema, dst any) error {
	if err := keyError(path, s, s.Check(value)); err != nil {
		return err
	}
	err := json.Unmarshal(data, dst)
	var badType *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &badType): // 3.0 is an integer to JSON Schema and not to encoding/json
		return &ConfigError{
			Path: path, Key: badType.Field, Problem: "is written as " + badType.Value,
			Hint: "Write a whole number without a decimal point or exponent, for example 3.", Err: err,
		}
	default:
		return &ConfigError{Path: path, Problem: err.Error(), Hint: "Compare it with " + minimalConfig + ".", Err: err}
	}
}
