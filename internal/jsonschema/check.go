package jsonschema

import (
	"cmp"
	"fmt"
	"maps"
	"net/mail"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// Violation is one thing that is wrong with a value, in words for its writer:
// {"severity", `is "urgent"`, "one of critical, high, medium, low"}. Each is cut at 200 bytes.
type Violation struct {
	// Field is the place in the value, such as severity, tags[1] or contact.email; "" for the whole value.
	Field string
	// Problem completes the sentence that Field begins.
	Problem string
	// Expected is what would be right: a noun phrase, never empty.
	Expected string
}

// Finding is a violation with what helps to mend it.
type Finding struct {
	Violation
	// Path is Field as a list of keys and of indexes such as [1].
	Path []string
	// Unknown says that the schema does not name the field. Known are the names that it has in
	// its place, and Meant is the one that the field probably misspells, or "".
	Unknown bool
	Known   []string
	Meant   string
	// Example is the schema's example for the field, or for the one that is meant; nil for none.
	Example any
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
		return []Finding{{Violation: Violation{
			Problem: "is too large to be checked against its schema", Expected: "fewer or shorter values, or a simpler schema",
		}}}
	}
	c := checker{schema: s}
	c.check(s.root, s.root, value, nil)
	slices.SortStableFunc(c.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Problem, b.Problem), cmp.Compare(a.Expected, b.Expected))
	})
	return slices.CompactFunc(c.findings, func(a, b Finding) bool { return a.Violation == b.Violation })
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
	schema   *Schema
	findings []Finding
}

// check applies s to the value at a place. whole is the schema for that place of which s is a part.
func (c *checker) check(whole, s *jsonschema.Schema, value any, path []string) {
	if s == nil || len(c.findings) >= maxFindings {
		return
	}
	if isFalse(s) {
		c.add("is not allowed", "nothing", path, nil)
		return
	}
	for _, part := range s.AllOf {
		c.check(whole, part, value, path)
	}
	text, isText := value.(string)
	fits := formats[s.Format]
	if c.schema.own[s].Validate(value) != nil || isText && fits != nil && !fits(text) {
		c.add(problem(s, value), cmp.Or(describe(s), "what the schema says")+inQuotes(s, value), path, whole)
	}
	if s.If != nil && c.schema.own[s.If].Validate(value) == nil {
		c.check(whole, s.Then, value, path)
	} else if s.If != nil {
		c.check(whole, s.Else, value, path)
	}
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			c.check(s.Items, s.Items, item, append(slices.Clone(path), fmt.Sprintf("[%d]", i)))
		}
	case map[string]any:
		c.checkObject(whole, s, value, path)
	}
}

// checkObject checks which keys an object has, and the value of each.
func (c *checker) checkObject(whole, s *jsonschema.Schema, object map[string]any, path []string) {
	known, _ := fieldsOf(whole)
	names, keys := slices.Sorted(maps.Keys(known)), slices.Sorted(maps.Keys(object))
	for _, name := range s.Required {
		if _, given := object[name]; given || len(c.findings) >= maxFindings {
			continue
		}
		problem := "is missing"
		if near := nearest(name, slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return known[key] != nil })); near != "" {
			problem += fmt.Sprintf("; is %q meant?", near)
		}
		c.add(problem, cmp.Or(describe(known[name]), "a value"), append(slices.Clone(path), name), known[name])
	}
	for _, key := range keys {
		sub, declared := s.Properties[key]
		if !declared {
			sub = s.AdditionalProperties
		}
		at := append(slices.Clone(path), key)
		if !isFalse(sub) || len(c.findings) >= maxFindings {
			c.check(sub, sub, object[key], at)
			continue
		}
		expected, meant := "no such field", nearest(key, names)
		if len(names) > 0 {
			expected = cmp.Or(meant, "one of the fields "+strings.Join(each(names, cut), ", "))
		}
		c.add("is not a known field", expected, at, known[meant])
		last := &c.findings[len(c.findings)-1]
		last.Unknown, last.Known, last.Meant = true, names, meant
	}
}

// isFalse reports whether a schema allows nothing.
func isFalse(s *jsonschema.Schema) bool {
	return s != nil && s.Not != nil && reflect.ValueOf(*s.Not).IsZero()
}

func (c *checker) add(problem, expected string, path []string, at *jsonschema.Schema) {
	field := strings.ReplaceAll(strings.Join(each(path, cut), "."), ".[", "[")
	c.findings = append(c.findings, Finding{
		Violation: Violation{Field: cut(field), Problem: cut(problem), Expected: cut(expected)}, Path: path, Example: example(at),
	})
}

// example returns a schema's first example, nil for none.
func example(s *jsonschema.Schema) any {
	for ; s != nil && len(s.Examples) == 0; s = s.AllOf[0] {
		if len(s.AllOf) == 0 {
			return nil
		}
	}
	if s == nil {
		return nil
	}
	return s.Examples[0]
}

// inQuotes says what makes a text of a value that YAML reads as another type, such as version: 8.0.
func inQuotes(s *jsonschema.Schema, value any) string {
	switch value.(type) {
	case nil, string, []any, map[string]any:
		return ""
	}
	if n := len(s.Types); s.Type == "string" || n > 0 && s.Types[n-1] == "string" {
		return ", in quotes"
	}
	return ""
}

// problem says what is wrong with a value that does not fit what a schema says of it as a whole.
func problem(s *jsonschema.Schema, value any) string {
	outside := func(n int, least, most *int) bool {
		return n > 0 && (least != nil && n < *least || most != nil && n > *most)
	}
	switch value := value.(type) {
	case string:
		if n := utf8.RuneCountInString(value); outside(n, s.MinLength, s.MaxLength) {
			return fmt.Sprintf("has %d characters", n)
		}
	case []any:
		if outside(len(value), s.MinItems, s.MaxItems) {
			return fmt.Sprintf("has %d entries", len(value))
		}
	case map[string]any:
		if len(s.AnyOf)+len(s.OneOf) > 0 {
			return "fits none of the alternatives, or more than one"
		}
	}
	return State(value)
}
