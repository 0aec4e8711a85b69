package jsonschema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// cut shortens a phrase, which may hold text of a repository.
func cut(phrase string) string {
	const longest, more = 200, "…"
	if len(phrase) <= longest {
		return phrase
	}
	return strings.ToValidUTF8(phrase[:longest-len(more)], "") + more
}

// join joins a place and a key below it.
func join(place, key string) string { return cut(strings.TrimPrefix(place+"."+cut(key), ".")) }

// describe returns a phrase for the values that a schema accepts, such as "one of high, low", "a
// date as YYYY-MM-DD" or "a list of text". It returns "" for nil and for a schema that says nothing
// that can be described.
func describe(s *jsonschema.Schema) string {
	switch {
	case s == nil:
		return ""
	case s.Const != nil:
		return plain(*s.Const)
	case s.Enum != nil:
		words := each(s.Enum, plain)
		if len(words) > 1 {
			return "one of " + strings.Join(words, ", ")
		}
		return strings.Join(words, "")
	case s.Type != "" || s.Types != nil:
		own := slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool { return kind != s.Type && !slices.Contains(s.Types, kind) })
		return strings.Join(each(own, func(kind string) string { return describeType(s, kind) }), " or ")
	case s.AnyOf != nil || s.OneOf != nil:
		if words := each(slices.Concat(s.AnyOf, s.OneOf), describeBranch); !slices.Contains(words, "") {
			return strings.Join(words, " or ")
		}
	}
	for _, kind := range []string{"number", "string", "array"} { // its keywords say nothing of others
		if words := describeType(s, kind); words != describeType(&jsonschema.Schema{}, kind) {
			return words
		}
	}
	for _, part := range s.AllOf {
		if words := describe(part); words != "" {
			return words
		}
	}
	return ""
}

// describeBranch describes one of several alternatives, an object by the keys that it must have.
func describeBranch(s *jsonschema.Schema) string {
	if len(s.Required) == 0 {
		return describe(s)
	}
	return "an object with " + strings.Join(each(s.Required, func(name string) string {
		if property := s.Properties[name]; property != nil && (property.Const != nil || property.Enum != nil) {
			return name + ": " + describe(property)
		}
		return name
	}), " and ")
}

func describeType(s *jsonschema.Schema, kind string) string {
	switch kind {
	case "string":
		switch {
		case s.Format == "date":
			return "a date as YYYY-MM-DD"
		case s.Format == "date-time":
			return "a date and time as 2025-01-31T09:30:00Z"
		case s.Format != "":
			return "text in the format " + s.Format
		case s.Pattern != "":
			return "text that matches " + s.Pattern
		case s.MinLength != nil && *s.MinLength <= 1:
			return "text" + bounds("", "", " of at most %s characters", nil, s.MaxLength)
		}
		return "text" + bounds(" of %s to %s characters", " of at least %s characters", " of at most %s characters", s.MinLength, s.MaxLength)
	case "integer", "number":
		words := map[string]string{"integer": "a whole number", "number": "a number"}[kind]
		words += bounds(" from %s to %s", " of at least %s", " of at most %s", s.Minimum, s.Maximum)
		words += bounds(" above %s and below %s", " above %s", " below %s", s.ExclusiveMinimum, s.ExclusiveMaximum)
		return words + bounds("", " in steps of %s", "", s.MultipleOf, nil)
	case "boolean":
		return "true or false"
	case "array":
		words := "a list"
		if item := describe(s.Items); item == "text" {
			words = "a list of text"
		} else if item != "" {
			words = "a list, each entry " + item
		}
		words += bounds(", at least %s and at most %s", ", at least %s", ", at most %s", s.MinItems, s.MaxItems)
		if s.UniqueItems {
			words += ", all different"
		}
		return words
	case "object":
		return "an object"
	}
	return kind // null
}

// bounds formats a lower and an upper limit, either of which may be missing.
func bounds[T int | float64](both, lower, upper string, low, high *T) string {
	show := func(n *T) string { return strconv.FormatFloat(float64(*n), 'f', -1, 64) }
	switch {
	case low != nil && high != nil:
		return fmt.Sprintf(both, show(low), show(high))
	case low != nil:
		return fmt.Sprintf(lower, show(low))
	case high != nil:
		return fmt.Sprintf(upper, show(high))
	}
	return ""
}

// each returns a phrase for each item, up to what a phrase may hold.
func each[T any](items []T, phrase func(T) string) []string {
	words := make([]string, min(len(items), 50))
	for i := range words {
		words[i] = cut(phrase(items[i]))
	}
	return words
}

// plain formats a value as in YAML, without quotes.
func plain(v any) string {
	if text, ok := v.(string); ok && text != "" {
		return text
	}
	return strings.TrimPrefix(State(v), "is ")
}

// State describes a value in the form `is "urgent"`, "is empty" or "is a list".
func State(v any) string {
	switch v := v.(type) {
	case nil:
		return "is empty"
	case string:
		if v == "" {
			return "is empty"
		}
		if shown := fmt.Sprintf("%.60q", v); shown != fmt.Sprintf("%.61q", v) {
			return "is " + shown + "…"
		}
		return fmt.Sprintf("is %q", v)
	case []any:
		if len(v) == 0 {
			return "is empty"
		}
		return "is a list"
	case map[string]any:
		return "is an object"
	}
	return fmt.Sprintf("is %.100s", fmt.Sprint(v))
}

// listOf returns a list, or the only value.
func listOf(value any) []any {
	if list, ok := value.([]any); ok {
		return list
	}
	return []any{value}
}

// ValueAt returns the value at a path of keys, or nil.
func ValueAt(value any, keys []string) any {
	for _, key := range keys {
		object, _ := value.(map[string]any)
		value = object[key]
	}
	return value
}

// nearest returns the one of known that word most likely misspells, or "": case, hyphens and
// underscores do not count, and one letter in four may be wrong.
func nearest(word string, known []string) (best string) {
	plain := strings.NewReplacer("_", "", "-", "", " ", "")
	word = plain.Replace(strings.ToLower(cut(word)))
	least := max(len(word)/4, min(len(word)/3, 1)) + 1
	for _, name := range known[:min(len(known), 200)] {
		if d := distance(word, plain.Replace(strings.ToLower(cut(name)))); word != "" && d < least {
			best, least = name, d
		}
	}
	return best
}

// distance counts the bytes to insert, delete, replace or swap with their neighbour to make b of a.
func distance(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			switch {
			case i == 0 || j == 0:
				d[i][j] = i + j
			case a[i-1] == b[j-1]:
				d[i][j] = d[i-1][j-1]
			default:
				d[i][j] = 1 + min(d[i-1][j-1], d[i-1][j], d[i][j-1])
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					d[i][j] = min(d[i][j], 1+d[i-2][j-2])
				}
			}
		}
	}
	return d[len(a)][len(b)]
}
