package jsonschema

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// maxShown is how many characters of a value a message shows, and maxPhrase how many bytes each
// of its phrases has.
const (
	maxShown  = 60
	maxPhrase = 200
)

// cut shortens a phrase that is longer than maxPhrase.
func cut(phrase string) string {
	const more = "…"
	if len(phrase) <= maxPhrase {
		return phrase
	}
	return strings.ToValidUTF8(phrase[:maxPhrase-len(more)], "") + more
}

// joinWords joins words until the phrase has its largest length.
func joinWords(words []string, separator string) string {
	var b strings.Builder
	for i, word := range words {
		if i > 0 {
			b.WriteString(separator)
		}
		if b.WriteString(cut(word)); b.Len() > maxPhrase {
			break
		}
	}
	return cut(b.String())
}

// describe returns a phrase for the values that the schema accepts, such as "one of high, low", "a
// date as YYYY-MM-DD" or "a list of text". It returns "" for a schema that it cannot describe.
func describe(sch *jsonschema.Schema) string {
	switch {
	case sch == nil:
		return ""
	case sch.Const != nil:
		return plain(*sch.Const)
	case len(sch.Enum) == 1:
		return plain(sch.Enum[0])
	case sch.Enum != nil:
		return cut("one of " + eachOf(sch.Enum, ", ", plain))
	case len(sch.Types) > 0:
		return eachOf(sch.Types, " or ", func(name string) string { return describeType(sch, name) })
	case sch.Pattern != "" || sch.Format != "":
		return describeText(sch)
	case len(sch.AnyOf) > 0:
		return eachOf(sch.AnyOf, " or ", describe)
	case len(sch.OneOf) > 0:
		return eachOf(sch.OneOf, " or ", describe)
	}
	for _, sub := range sch.AllOf {
		if words := describe(sub); words != "" {
			return words
		}
	}
	return describeConstraints(sch)
}

// eachOf describes the items and joins the words. It returns "" if it cannot describe one of them.
func eachOf[T any](items []T, separator string, describe func(T) string) string {
	words, length := make([]string, 0, len(items)), 0
	for _, item := range items {
		w := describe(item)
		if w == "" {
			return ""
		}
		if words, length = append(words, w), length+len(w); length > maxPhrase {
			break
		}
	}
	return joinWords(words, separator)
}

// describeConstraints describes a schema that limits a value without giving its type.
func describeConstraints(sch *jsonschema.Schema) string {
	switch {
	case sch.Minimum != nil || sch.Maximum != nil || sch.ExclusiveMinimum != nil || sch.ExclusiveMaximum != nil ||
		sch.MultipleOf != nil:
		return describeType(sch, "number")
	case sch.MinLength != nil || sch.MaxLength != nil:
		return describeText(sch)
	case sch.MinItems != nil || sch.MaxItems != nil || sch.Items != nil || sch.UniqueItems:
		return describeList(sch)
	default:
		return ""
	}
}

func describeType(sch *jsonschema.Schema, name string) string {
	switch name {
	case "string":
		return describeText(sch)
	case "integer":
		return "a whole number" + describeRange(sch)
	case "number":
		return "a number" + describeRange(sch)
	case "boolean":
		return "true or false"
	case "array":
		return describeList(sch)
	case "object":
		return "an object"
	default:
		return name // null
	}
}

func describeText(sch *jsonschema.Schema) string {
	switch {
	case sch.Format == "date":
		return "a date as YYYY-MM-DD"
	case sch.Format == "date-time":
		return "a date and time as 2025-01-31T09:30:00Z"
	case sch.Format != "":
		return "text in the format " + sch.Format
	case sch.Pattern != "":
		return "text that matches " + sch.Pattern
	case sch.MinLength != nil && *sch.MinLength > 1 && sch.MaxLength != nil:
		return fmt.Sprintf("text of %d to %d characters", *sch.MinLength, *sch.MaxLength)
	case sch.MinLength != nil && *sch.MinLength > 1:
		return fmt.Sprintf("text of at least %d characters", *sch.MinLength)
	case sch.MaxLength != nil:
		return fmt.Sprintf("text of at most %d characters", *sch.MaxLength)
	default:
		return "text"
	}
}

func describeRange(sch *jsonschema.Schema) string {
	words := ""
	switch {
	case sch.Minimum != nil && sch.Maximum != nil:
		words = " from " + number(sch.Minimum) + " to " + number(sch.Maximum)
	case sch.Minimum != nil:
		words = " of at least " + number(sch.Minimum)
	case sch.Maximum != nil:
		words = " of at most " + number(sch.Maximum)
	}
	if sch.ExclusiveMinimum != nil {
		words += " above " + number(sch.ExclusiveMinimum)
	}
	if sch.ExclusiveMaximum != nil {
		words += " below " + number(sch.ExclusiveMaximum)
	}
	if sch.MultipleOf != nil {
		words += " in steps of " + number(sch.MultipleOf)
	}
	return words
}

func number(f *float64) string { return strconv.FormatFloat(*f, 'g', -1, 64) }

func describeList(sch *jsonschema.Schema) string {
	words := "a list"
	switch item := describe(sch.Items); item {
	case "":
	case "text":
		words = "a list of text"
	default:
		words = "a list, each entry " + item
	}
	if sch.MinItems != nil && *sch.MinItems > 0 {
		words += fmt.Sprintf(", at least %d", *sch.MinItems)
	}
	if sch.MaxItems != nil {
		words += fmt.Sprintf(", at most %d", *sch.MaxItems)
	}
	if sch.UniqueItems {
		words += ", all different"
	}
	return words
}

// plain formats a value as in YAML, without quotes.
func plain(v any) string {
	if text, ok := v.(string); ok && text != "" {
		return cut(text)
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
		shown := 0
		for i := range v {
			if shown++; shown > maxShown {
				return fmt.Sprintf("is %q…", v[:i])
			}
		}
		return fmt.Sprintf("is %q", v)
	case []any:
		if len(v) == 0 {
			return "is empty"
		}
		return "is a list"
	case map[string]any:
		return "is an object"
	default:
		return fmt.Sprintf("is %v", v)
	}
}

// numberOf returns v as a number, whatever its type.
func numberOf(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	default:
		return 0, false
	}
}
