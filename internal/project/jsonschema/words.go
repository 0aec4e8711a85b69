package jsonschema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// cut shortens a phrase to 200 bytes, because the phrase may come from a hostile repository.
func cut(phrase string) string {
	const longest, more = 200, "…"
	if len(phrase) <= longest {
		return phrase
	}
	return strings.ToValidUTF8(phrase[:longest-len(more)], "") + more
}

func join(field, key string) string {
	if key == "" {
		key = `""`
	}
	return cut(strings.TrimPrefix(field+"."+cut(key), "."))
}

// list joins the first 50 items with commas. phrase returns the text for an item.
func list[T any](items []T, phrase func(T) string) string {
	words := make([]string, min(len(items), 50))
	for i := range words {
		words[i] = cut(phrase(items[i]))
	}
	return strings.Join(words, ", ")
}

// describe returns a phrase for the values that a schema allows, such as "one of high, low" or "text, maxLength 200".
// It returns "" for nil and for a schema without limits.
func describe(s *jsonschema.Schema) string {
	switch {
	case s == nil:
		return ""
	case s.Const != nil:
		return plain(*s.Const)
	case s.Enum != nil:
		return "one of " + list(s.Enum, plain)
	case s.Format == "date":
		return "a date as YYYY-MM-DD"
	}
	var words []string
	for _, name := range slices.Concat(s.Types, []string{s.Type}) {
		if name != "" {
			words = append(words, typeNames[name])
		}
	}
	for _, branch := range slices.Concat(s.AnyOf, s.OneOf) {
		if phrase := describe(branch); phrase != "" {
			words = append(words, phrase)
		}
	}
	phrases := []string{strings.Join(words, " or ")}
	if items := describe(s.Items); items != "" {
		phrases[0] += " of " + items
	}
	for _, keyword := range limits {
		value := reflect.ValueOf(*s).FieldByName(strings.ToUpper(keyword[:1]) + keyword[1:])
		phrase := fmt.Sprint(keyword, " ", reflect.Indirect(value))
		if !value.IsZero() && phrase != "minLength 1" { // the problem "is empty" is enough
			phrases = append(phrases, phrase)
		}
	}
	if phrase := strings.TrimPrefix(strings.Join(phrases, ", "), ", "); phrase != "" || len(s.AllOf) == 0 {
		return cut(phrase)
	}
	return describe(s.AllOf[0])
}

// limits are the keywords that describe prints, each with its value. [jsonschema.Schema] has a field for each keyword.
var limits = strings.Fields("format pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum " +
	"multipleOf minItems maxItems uniqueItems")

// plain formats a value for a message. A text gets no quotes, as in YAML.
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
		return fmt.Sprintf("is %.100q", v)
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

// ValueAt returns the value at a path of keys, or nil if a key is missing.
func ValueAt(value any, keys []string) any {
	for _, key := range keys {
		object, _ := value.(map[string]any)
		value = object[key]
	}
	return value
}
