package jsonschema_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// Check and the validator of google/jsonschema-go agree on random schemas and values.
func TestCheck_AgreesWithGoogle(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 7))
	valid := 0
	for range 4_000 {
		g := generator{random}
		schema, value := g.schema(3), g.value(3)
		text, err := json.Marshal(schema)
		if err != nil {
			t.Fatal(err)
		}
		var reference jsonschema.Schema
		if err := json.Unmarshal(text, &reference); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		resolved, err := reference.Resolve(nil)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		want := resolved.Validate(value)
		faults := compile(t, string(text)).Check(value)
		if (want == nil) != (len(faults) == 0) {
			t.Fatalf("%s of %#v: faults %+v, google: %v", text, value, faults, want)
		}
		if want == nil {
			valid++
		}
	}
	if valid < 400 || valid > 3_600 {
		t.Errorf("%d of 4000 values are valid: the schemas say too little or too much", valid)
	}
}

// generator makes small schemas and values of the same few keys and texts.
type generator struct{ *rand.Rand }

func (g generator) key() string { return string("abc"[g.IntN(3)]) }

func (g generator) value(depth int) any {
	switch n := g.IntN(8); {
	case n == 0:
		return nil
	case n == 1:
		return g.IntN(2) == 0
	case n == 2:
		return float64(g.IntN(9)) / 2
	case n == 3 || depth == 0:
		return fmt.Sprint(g.key(), g.key())[:g.IntN(3)]
	case n < 6:
		list := make([]any, g.IntN(4))
		for i := range list {
			list[i] = g.value(depth - 1)
		}
		return list
	default:
		object := map[string]any{}
		for range g.IntN(4) {
			object[g.key()] = g.value(depth - 1)
		}
		return object
	}
}

func (g generator) schema(depth int) any {
	if depth == 0 || g.IntN(12) == 0 {
		return g.IntN(3) > 0
	}
	below := func() any { return g.schema(depth - 1) }
	list := func() any { return []any{below(), below()} }
	named := func() any { return map[string]any{g.key(): below(), g.key(): below()} }
	names := func() any { return []any{g.key()} }
	few := func() any { return g.IntN(3) }
	number := func() any { return float64(g.IntN(8)) / 2 }
	types := func() any {
		all := []any{"null", "boolean", "integer", "number", "string", "array", "object"}
		g.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		return all[:1+g.IntN(5)]
	}
	keywords := map[string]func() any{
		"type": types, "enum": func() any { return []any{g.value(1), g.value(1), g.value(0)} }, "const": func() any { return g.value(1) },
		"minimum": number, "maximum": number, "exclusiveMinimum": number, "exclusiveMaximum": number,
		"multipleOf": func() any { return .5 + float64(g.IntN(2)) },
		"minLength":  few, "maxLength": few, "pattern": func() any { return "^[ab]" },
		"minItems": few, "maxItems": few, "uniqueItems": func() any { return true }, "items": below,
		"required": names, "properties": named, "additionalProperties": below,
		"allOf": list, "anyOf": list, "oneOf": list, "not": below, "if": below, "then": below, "else": below,
		"minProperties": few, "maxProperties": few,
	}
	all := slices.Sorted(maps.Keys(keywords))
	schema := map[string]any{}
	for range 1 + g.IntN(3) {
		keyword := all[g.IntN(len(all))]
		schema[keyword] = keywords[keyword]()
	}
	return schema
}
