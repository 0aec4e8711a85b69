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

// Finding is one thing that is wrong with a value, in words for its writer:
// {"severity", `is "urgent"`, "one of critical, high, medium, low"}. Each text is cut at 200 bytes.
type Finding struct {
	// Field is the place in the value, such as severity, tags[1] or contact.email; "" for the whole value.
	Field string
	// Problem completes the sentence that Field begins.
	Problem string
	// Expected is what would be right: a noun phrase, never empty.
	Expected string
	// Unknown says that the schema allows no such field.
	Unknown bool
}

const (
	// maxCost bounds what one check may cost at worst, in about nanoseconds.
	maxCost     = 1_000_000_000
	maxFindings = 25
)

// formats says which texts have the formats that are checked.
var formats = map[string]func(text string) bool{
	"date":      func(text string) bool { _, err := time.Parse(time.DateOnly, text); return err == nil },
	"date-time": func(text string) bool { _, err := time.Parse(time.RFC3339, text); return err == nil },
	"email":     func(text string) bool { a, err := mail.ParseAddress(text); return err == nil && a.Address == text },
	"uri":       func(text string) bool { u, err := url.Parse(text); return err == nil && u.IsAbs() },
}

// Check returns up to 25 distinct findings about value, sorted by field, and nil if value is valid.
// If the check may cost more than a second, the only finding says so. value must be as
// [encoding/json] decodes into any; its numbers may be of any type.
func (s *Schema) Check(value any) []Finding {
	values, bytes := measure(value)
	if s.nodes*(1_000*values+bytes)+20*s.instructions*bytes > maxCost {
		return []Finding{{
			Problem: "is too large to be checked against its schema", Expected: "fewer or shorter values, or a simpler schema",
		}}
	}
	c := checker{own: s.own}
	c.check(s.root, value, "")
	slices.SortStableFunc(c.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Problem, b.Problem), cmp.Compare(a.Expected, b.Expected))
	})
	return slices.Compact(c.findings)
}

// measure counts the values in v, itself among them, and the bytes of their texts and keys.
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

// checker checks one value. It goes on after a finding.
type checker struct {
	own      map[*jsonschema.Schema]*jsonschema.Resolved // as in [Schema]
	findings []Finding
}

// check applies s to the value at a place.
func (c *checker) check(s *jsonschema.Schema, value any, field string) {
	if s == nil || len(c.findings) >= maxFindings {
		return
	}
	for _, part := range s.AllOf {
		c.check(part, value, field)
	}
	err := c.own[s].Validate(value)
	text, isText := value.(string)
	_, isObject := value.(map[string]any)
	fits := formats[s.Format]
	expected := describe(s)
	switch {
	case err != nil && (expected == "" || isObject && s.Type == "object"):
		c.add(field, State(value), "what the schema says: "+err.Error())
	case err != nil, isText && fits != nil && !fits(text):
		c.add(field, State(value), expected)
	}
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			c.check(s.Items, item, fmt.Sprintf("%s[%d]", field, i))
		}
	case map[string]any:
		c.checkObject(s, value, field)
	}
}

// checkObject checks which keys an object has, and the value of each.
func (c *checker) checkObject(s *jsonschema.Schema, object map[string]any, field string) {
	known, _ := fieldsOf(s)
	for _, name := range s.Required {
		if _, given := object[name]; !given && len(c.findings) < maxFindings {
			c.add(join(field, name), "is missing", cmp.Or(describe(known[name]), "a value"))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		sub, declared := s.Properties[key]
		if !declared {
			sub = s.AdditionalProperties
		}
		if !isFalse(sub) || len(c.findings) >= maxFindings {
			c.check(sub, object[key], join(field, key))
			continue
		}
		expected := "no such field"
		if len(known) > 0 {
			expected = "one of the fields " + list(slices.Sorted(maps.Keys(known)), cut)
		}
		c.add(join(field, key), "is not a known field", expected)
		c.findings[len(c.findings)-1].Unknown = true
	}
}

// isFalse reports whether a schema allows nothing.
func isFalse(s *jsonschema.Schema) bool {
	return s != nil && s.Not != nil && reflect.ValueOf(*s.Not).IsZero()
}

func (c *checker) add(field, problem, expected string) {
	c.findings = append(c.findings, Finding{Field: cut(field), Problem: cut(problem), Expected: cut(expected)})
}
