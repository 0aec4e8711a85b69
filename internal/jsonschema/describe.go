package jsonschema

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxShown is how many characters of a value a message shows.
const maxShown = 60

// describe returns a phrase for the values that the schema accepts, such as "one of high, low", "a
// date as YYYY-MM-DD" or "a list of text". It returns "" for a schema that it cannot describe.
func describe(sch *jsonschema.Schema) string {
	switch {
	case sch == nil:
		return ""
	case sch.Const != nil:
		return plain(*sch.Const)
	case sch.Enum != nil && len(sch.Enum.Values) == 1:
		return plain(sch.Enum.Values[0])
	case sch.Enum != nil:
		words := make([]string, 0, len(sch.Enum.Values))
		for _, v := range sch.Enum.Values {
			words = append(words, plain(v))
		}
		return "one of " + strings.Join(words, ", ")
	case sch.Types != nil && !sch.Types.IsEmpty():
		var words []string
		for _, t := range sch.Types.ToStrings() {
			words = append(words, describeType(sch, t))
		}
		return strings.Join(words, " or ")
	case sch.Pattern != nil || sch.Format != nil:
		return describeText(sch)
	case len(sch.AnyOf) > 0:
		return describeEach(sch.AnyOf)
	case len(sch.OneOf) > 0:
		return describeEach(sch.OneOf)
	}
	for _, part := range append([]*jsonschema.Schema{sch.Ref}, sch.AllOf...) {
		if words := describe(part); words != "" {
			return words
		}
	}
	return describeConstraints(sch)
}

// describeEach describes the alternatives and joins them with "or". It returns "" if it cannot
// describe one of them.
func describeEach(alternatives []*jsonschema.Schema) string {
	words := make([]string, 0, len(alternatives))
	for _, s := range alternatives {
		w := describe(s)
		if w == "" {
			return ""
		}
		words = append(words, w)
	}
	return strings.Join(words, " or ")
}

// describeConstraints describes a schema that limits a value without giving its type.
func describeConstraints(sch *jsonschema.Schema) string {
	switch {
	case sch.Minimum != nil || sch.Maximum != nil || sch.ExclusiveMinimum != nil || sch.ExclusiveMaximum != nil ||
		sch.MultipleOf != nil:
		return describeType(sch, "number")
	case sch.MinLength != nil || sch.MaxLength != nil:
		return describeText(sch)
	case sch.MinItems != nil || sch.MaxItems != nil || itemsOf(sch) != nil:
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
	case sch.Format != nil && sch.Format.Name == "date":
		return "a date as YYYY-MM-DD"
	case sch.Format != nil && sch.Format.Name == "date-time":
		return "a date and time as 2025-01-31T09:30:00Z"
	case sch.Format != nil:
		return "text in the format " + sch.Format.Name
	case sch.Pattern != nil:
		return "text that matches " + sch.Pattern.String()
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

func number(r *big.Rat) string {
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func describeList(sch *jsonschema.Schema) string {
	words := "a list"
	switch item := describe(itemsOf(sch)); item {
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
	return words
}

// plain formats a value as in YAML, without quotes.
func plain(v any) string {
	if s, ok := v.(string); ok && s != "" {
		return s
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
		if utf8.RuneCountInString(v) > maxShown {
			return fmt.Sprintf("is %q…", string([]rune(v)[:maxShown]))
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
