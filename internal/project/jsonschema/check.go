package jsonschema

import (
	"cmp"
	"fmt"
	"maps"
	"net/mail"
	"net/url"
	"reflect"
	"slices"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// Fault is one mistake in a value, in words for its writer, such as
// {"severity", `is "urgent"`, "one of critical, high, medium, low"}. Each text has at most 200 bytes.
type Fault struct {
	Field    string // such as severity, tags[1] or contact.email; "" for the whole value
	Problem  string // completes the sentence that Field begins
	Expected string // a noun phrase, never empty
	Unknown  bool   // the schema allows no such field
}

const (
	maxCost   = 1_000_000_000 // worst time of one check: an estimate, roughly in nanoseconds
	maxFaults = 25
)

// formats are the formats that Check knows. Any text is valid in a format that is not listed.
var formats = map[string]func(text string) bool{
	"date":      func(text string) bool { _, err := time.Parse(time.DateOnly, text); return err == nil },
	"date-time": func(text string) bool { _, err := time.Parse(time.RFC3339, text); return err == nil },
	"email":     func(text string) bool { a, err := mail.ParseAddress(text); return err == nil && a.Address == text },
	"uri":       func(text string) bool { u, err := url.Parse(text); return err == nil && u.IsAbs() },
}

// Check returns up to 25 distinct faults of a value, sorted by field, and nil for a valid value. If a check
// may take more than a second, Check returns a single fault that says so. The value must have the types that
// [encoding/json] decodes into any, except that numbers may have any type.
func (s *Schema) Check(value any) []Fault {
	values, bytes := measure(value)
	if s.nodes*(1_000*values+bytes)+20*s.instructions*bytes > maxCost {
		return []Fault{{
			Problem: "is too large to be checked against its schema", Expected: "fewer or shorter values, or a simpler schema",
		}}
	}
	c := checker{validators: s.validators}
	c.check(s.root, value, "")
	slices.SortStableFunc(c.faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Problem, b.Problem), cmp.Compare(a.Expected, b.Expected))
	})
	return slices.Compact(c.faults)
}

// measure counts v and all values in it, and the bytes of their texts and keys.
func measure(v any) (values, bytes int) {
	values = 1
	switch v := v.(type) {
	case string:
		bytes = len(v)
	case []any:
		for _, item := range v {
			n, size := measure(item)
			values, bytes = values+n, bytes+size
		}
	case map[string]any:
		for key, item := range v {
			n, size := measure(item)
			values, bytes = values+n, bytes+len(key)+size
		}
	}
	return values, bytes
}

// checker checks one value. It collects faults and does not stop at the first.
type checker struct {
	validators validators
	faults     []Fault
}

func (c *checker) check(s *jsonschema.Schema, value any, field string) {
	if s == nil || len(c.faults) >= maxFaults {
		return
	}
	for _, part := range s.AllOf {
		c.check(part, value, field)
	}
	err := c.validators[s].Validate(value)
	text, isText := value.(string)
	if fits := formats[s.Format]; err != nil || isText && fits != nil && !fits(text) {
		expected := describe(s)
		if _, isObject := value.(map[string]any); err != nil && (expected == "" || isObject && s.Type == "object") {
			expected = "what the schema says: " + err.Error()
		}
		c.add(Fault{Field: field, Problem: State(value), Expected: expected})
	}
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			c.check(s.Items, item, fmt.Sprintf("%s[%d]", field, i))
		}
	case map[string]any:
		c.checkKeys(s, value, field)
	}
}

func (c *checker) checkKeys(s *jsonschema.Schema, object map[string]any, field string) {
	for _, name := range s.Required {
		if _, given := object[name]; !given && len(c.faults) < maxFaults {
			c.add(Fault{Field: join(field, name), Problem: "is missing", Expected: cmp.Or(describe(fieldsOf(s)[name]), "a value")})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		sub, declared := s.Properties[key]
		if !declared {
			sub = s.AdditionalProperties
		}
		allowsNothing := sub != nil && sub.Not != nil && reflect.ValueOf(*sub.Not).IsZero()
		if !allowsNothing || len(c.faults) >= maxFaults {
			c.check(sub, object[key], join(field, key))
			continue
		}
		expected := "no such field"
		if known := fieldsOf(s); len(known) > 0 {
			expected = "one of the fields " + list(slices.Sorted(maps.Keys(known)), cut)
		}
		c.add(Fault{Field: join(field, key), Problem: "is not a known field", Expected: expected, Unknown: true})
	}
}

func (c *checker) add(f Fault) {
	f.Field, f.Problem, f.Expected = cut(f.Field), cut(f.Problem), cut(f.Expected)
	c.faults = append(c.faults, f)
}
