package jsonschema

import (
	"fmt"
	"slices"
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
	return joinEach(words, separator, func(word string) string { return word })
}

func joinEach[T any](items []T, separator string, word func(T) string) string {
	var b strings.Builder
	for i, item := range items {
		if i > 0 {
			b.WriteString(separator)
		}
		if b.WriteString(cut(word(item))); b.Len() > maxPhrase {
			break
		}
	}
	return cut(b.String())
}

// describe returns a phrase for the values that the schema accepts, such as "one of high, low", "a
// date as YYYY-MM-DD" or "a list of text". It returns "" for nil and for a schema that says nothing
// that can be described.
func (s *Schema) describe() string {
	switch {
	case s == nil:
		return ""
	case s.own.Const != nil:
		return plain(*s.own.Const)
	case len(s.own.Enum) == 1:
		return plain(s.own.Enum[0])
	case s.own.Enum != nil:
		return cut("one of " + joinEach(s.own.Enum, ", ", plain))
	case len(s.own.Types) > 0:
		return joinEach(s.own.Types, " or ", s.describeType)
	}
	for _, sub := range s.allOf {
		if words := sub.describe(); words != "" {
			return words
		}
	}
	var alternatives []string
	for _, sub := range slices.Concat(s.anyOf, s.oneOf) {
		alternatives = append(alternatives, sub.describe())
	}
	if len(alternatives) > 0 && !slices.Contains(alternatives, "") {
		return joinWords(alternatives, " or ")
	}
	// The keywords for one type say nothing of others.
	for _, name := range []string{"number", "string", "array"} {
		if words := s.describeType(name); words != (&Schema{}).describeType(name) {
			return words
		}
	}
	return ""
}

func (s *Schema) describeType(name string) string {
	switch name {
	case "string":
		return describeText(&s.own)
	case "integer":
		return "a whole number" + describeRange(&s.own)
	case "number":
		return "a number" + describeRange(&s.own)
	case "boolean":
		return "true or false"
	case "array":
		return s.describeList()
	case "object":
		return "an object"
	default:
		return name // null
	}
}

func describeText(own *jsonschema.Schema) string {
	switch {
	case own.Format == "date":
		return "a date as YYYY-MM-DD"
	case own.Format == "date-time":
		return "a date and time as 2025-01-31T09:30:00Z"
	case own.Format != "":
		return "text in the format " + own.Format
	case own.Pattern != "":
		return "text that matches " + own.Pattern
	case own.MinLength != nil && *own.MinLength > 1 && own.MaxLength != nil:
		return fmt.Sprintf("text of %d to %d characters", *own.MinLength, *own.MaxLength)
	case own.MinLength != nil && *own.MinLength > 1:
		return fmt.Sprintf("text of at least %d characters", *own.MinLength)
	case own.MaxLength != nil:
		return fmt.Sprintf("text of at most %d characters", *own.MaxLength)
	default:
		return "text"
	}
}

func describeRange(own *jsonschema.Schema) (words string) {
	add := func(preposition string, bound *float64) {
		if bound != nil {
			words += preposition + strconv.FormatFloat(*bound, 'f', -1, 64)
		}
	}
	if own.Minimum != nil && own.Maximum != nil {
		add(" from ", own.Minimum)
		add(" to ", own.Maximum)
	} else {
		add(" of at least ", own.Minimum)
		add(" of at most ", own.Maximum)
	}
	add(" above ", own.ExclusiveMinimum)
	add(" below ", own.ExclusiveMaximum)
	add(" in steps of ", own.MultipleOf)
	return words
}

func (s *Schema) describeList() string {
	words := "a list"
	switch item := s.items.describe(); item {
	case "":
	case "text":
		words = "a list of text"
	default:
		words = "a list, each entry " + item
	}
	if s.own.MinItems != nil && *s.own.MinItems > 0 {
		words += fmt.Sprintf(", at least %d", *s.own.MinItems)
	}
	if s.own.MaxItems != nil {
		words += fmt.Sprintf(", at most %d", *s.own.MaxItems)
	}
	if s.own.UniqueItems {
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

// spell formats a path as in tags[1] or contact.email, cut as every phrase. It needs the value to
// tell an index from a key.
func spell(value any, at []string) string {
	var b strings.Builder
	for _, step := range at {
		if b.Len() > maxPhrase {
			break
		}
		if _, isList := value.([]any); isList {
			fmt.Fprintf(&b, "[%s]", step)
		} else {
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(cut(step))
		}
		value = ValueAt(value, []string{step})
	}
	return cut(b.String())
}

// ValueAt returns the value at a path, or nil.
func ValueAt(value any, at []string) any {
	for _, step := range at {
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}
