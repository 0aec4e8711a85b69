package jsonschema

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Error is a mistake in a schema. Its texts are for the person who wrote the schema.
type Error struct {
	// Key is the place in the schema, such as properties.a.type; "" for the schema as a whole.
	Key string
	// Problem continues a sentence that begins with Key or the schema's name, as in "is not a list".
	Problem string
	// Hint is one or more sentences on what to do, with a correct example.
	Hint string
	// Err is the cause.
	Err error
}

func (e *Error) Error() string {
	place := "the schema"
	if e.Key != "" {
		place = e.Key
	}
	return place + " " + e.Problem + ". " + e.Hint
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// explain converts the compiler's error about doc to an *Error that names the place.
func explain(doc any, err error) *Error {
	e := &Error{
		Problem: "is not a valid JSON Schema: " + err.Error(),
		Hint:    `Compare it with {"type": "object", "required": ["title"], "properties": {"title": {"type": "string"}}}.`,
		Err:     err,
	}
	var invalid *jsonschema.SchemaValidationError
	var outside *jsonschema.LoadURLError
	var pointer *jsonschema.JSONPointerNotFoundError
	var anchor *jsonschema.AnchorNotFoundError
	switch {
	case errors.As(err, &outside):
		e.Problem = "refers to another file or address"
		e.Hint = `Copy what it refers to into "$defs" of this file and refer to that, for example {"$ref": "#/$defs/status"}.`
		if at, ref, ok := outsideRef(doc, nil); ok {
			e.Key, e.Problem = spell(doc, at), fmt.Sprintf("is %q, which %s", ref, errOutsideRef)
		}
	case errors.Is(err, errRecursive):
		e.Problem = "has a $ref that " + errRecursive.Error()
		e.Hint = "Write the nested levels out."
	case errors.Is(err, errTooComplex):
		e.Problem = errTooComplex.Error()
		e.Hint = fmt.Sprintf("Keep it under %d values, %d levels, %d patterns and %d sub-schemas with every $ref written out.",
			maxValues, MaxDepth, maxPatterns, maxSteps)
	case errors.As(err, &pointer):
		e.Problem = fmt.Sprintf("has the $ref %q, and there is nothing at that place", fragment(pointer.URL))
		e.Hint = `Point to a part of this file, for example {"$ref": "#/$defs/status"}.`
	case errors.As(err, &anchor):
		e.Problem = fmt.Sprintf("has the $ref %q, and no such anchor", fragment(anchor.Reference))
		e.Hint = `Point to a part of this file, for example {"$ref": "#/$defs/status"}.`
	case errors.As(err, &invalid):
		if key, problem, expected, ok := deepest(doc, invalid.Err); ok {
			e.Key, e.Problem = key, problem
			e.Hint = "JSON Schema wants " + expected + " here. " + e.Hint
		}
	}
	return e
}

// deepest returns the most deeply nested of the errors that the meta-schema found.
func deepest(doc any, err error) (key, problem, expected string, ok bool) {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return "", "", "", false
	}
	leaf := invalid
	var walk func(*jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		if len(e.Causes) == 0 && (len(leaf.Causes) > 0 || len(e.InstanceLocation) > len(leaf.InstanceLocation)) {
			leaf = e
		}
		for _, cause := range e.Causes {
			walk(cause)
		}
	}
	walk(invalid)
	switch k := leaf.ErrorKind.(type) {
	case *kind.Format:
		expected = "a valid " + k.Want
	case *kind.Type:
		expected = "the type " + strings.Join(k.Want, " or ")
	case *kind.Enum:
		words := make([]string, 0, len(k.Want))
		for _, v := range k.Want {
			words = append(words, plain(v))
		}
		expected = "one of " + strings.Join(words, ", ")
	default:
		expected = "another value"
	}
	return spell(doc, leaf.InstanceLocation), State(ValueAt(doc, leaf.InstanceLocation)), expected, true
}

// outsideRef returns the first reference that points outside v, with keys in sorted order.
func outsideRef(v any, at []string) (where []string, ref string, ok bool) {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			text, isText := v[k].(string)
			if isText && slices.Contains([]string{"$ref", "$dynamicRef", "$recursiveRef", "$schema"}, k) &&
				!strings.HasPrefix(text, "#") && !strings.Contains(text, "//json-schema.org/") {
				return join(at, k), text, true
			}
			if where, ref, ok := outsideRef(v[k], join(at, k)); ok {
				return where, ref, true
			}
		}
	case []any:
		for i, e := range v {
			if where, ref, ok := outsideRef(e, join(at, strconv.Itoa(i))); ok {
				return where, ref, true
			}
		}
	}
	return nil, "", false
}

// fragment returns the fragment of a URL that the compiler reports, with the #.
func fragment(location string) string {
	_, frag, _ := strings.Cut(location, "#")
	if decoded, err := url.PathUnescape(frag); err == nil {
		frag = decoded
	}
	return "#" + path.Clean(frag)
}
