package project

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Violation is one thing that is wrong with a document's front matter, in words for its writer:
// {"severity", `is "urgent"`, "one of critical, high, medium, low"}.
type Violation struct {
	// Field is the place in the front matter, such as severity, tags[1] or contact.email.
	Field string
	// Problem completes the sentence that Field begins.
	Problem string
	// Expected is what would be right: a noun phrase, never empty.
	Expected string
}

// finding is a violation with what else is known about it.
type finding struct {
	Violation

	path    []string // of keys and indexes; Field is its spelling
	unknown bool     // the field itself is not known
}

// check returns everything that is wrong with value, sorted by field, each thing once.
func (s *schema) check(value any) []finding {
	err := s.root.Validate(value)
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return nil
	}
	c := checker{schema: s, value: value}
	c.collect(invalid)
	slices.SortStableFunc(c.findings, compareFindings)
	return slices.CompactFunc(c.findings, func(a, b finding) bool { return a.Violation == b.Violation })
}

func compareFindings(a, b finding) int {
	return cmp.Or(
		cmp.Compare(a.Field, b.Field),
		cmp.Compare(a.Problem, b.Problem),
		cmp.Compare(a.Expected, b.Expected),
	)
}

// checker translates the errors of one validation.
type checker struct {
	schema   *schema
	value    any
	findings []finding
}

// collect walks the tree of errors and adds a finding for each that a writer can act on.
func (c *checker) collect(e *jsonschema.ValidationError) {
	at := e.InstanceLocation
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		for _, cause := range e.Causes {
			c.collect(cause)
		}
	case *kind.Required:
		c.missing(e, k.Missing, "is missing")
	case *kind.DependentRequired:
		c.missing(e, k.Missing, fmt.Sprintf("is missing, though %q is given", k.Prop))
	case *kind.Dependency:
		c.missing(e, k.Missing, fmt.Sprintf("is missing, though %q is given", k.Prop))
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			c.addUnknown(join(at, name))
		}
	case *kind.PropertyNames:
		var names *jsonschema.Schema
		if owner := c.schema.find(at); owner != nil {
			names = owner.PropertyNames
		}
		c.add(join(at, k.Property), "is not an allowed name", describe(names))
	case *kind.AnyOf:
		c.addAlternatives(e)
	case *kind.OneOf:
		if len(k.Subschemas) > 0 {
			c.add(at, "fits more than one of the allowed forms", "exactly one of them")
			return
		}
		c.addAlternatives(e)
	default:
		c.addLeaf(e)
	}
}

// addLeaf adds the finding for an error about one value.
func (c *checker) addLeaf(e *jsonschema.ValidationError) {
	at := e.InstanceLocation
	value := valueAt(c.value, at)
	expected := describe(c.schema.at[e.SchemaURL])
	problem := state(value)
	switch k := e.ErrorKind.(type) {
	case *kind.FalseSchema:
		c.addUnknown(at)
		return
	case *kind.Type:
		// YAML reads version: 8.0 as a number; the writer did not know.
		if isScalar(value) && slices.Contains(k.Want, "string") {
			expected += ", in quotes"
		}
	case *kind.MinLength, *kind.MaxLength:
		if text, ok := value.(string); ok && text != "" {
			problem = fmt.Sprintf("has %d characters", len([]rune(text)))
		}
	case *kind.MinItems, *kind.MaxItems:
		if list, ok := value.([]any); ok && len(list) > 0 {
			problem = fmt.Sprintf("has %d entries", len(list))
		}
	case *kind.UniqueItems:
		problem, expected = "has the same entry twice", "different entries"
	case *kind.Not:
		problem, expected = state(value)+", which is not allowed", "another value"
	case *kind.Enum, *kind.Const, *kind.Format, *kind.Pattern,
		*kind.Minimum, *kind.Maximum, *kind.ExclusiveMinimum, *kind.ExclusiveMaximum, *kind.MultipleOf:
	default:
		rule := strings.Join(e.ErrorKind.KeywordPath(), " ")
		problem = strings.TrimSpace("does not satisfy " + rule)
		expected = "what the schema of this doc-type says"
	}
	c.add(at, problem, expected)
}

// addAlternatives adds one finding for a value that fits none of several schemas.
func (c *checker) addAlternatives(e *jsonschema.ValidationError) {
	at := e.InstanceLocation
	problem, expected := state(valueAt(c.value, at)), describe(c.schema.at[e.SchemaURL])
	if expected == "" {
		problem = "fits none of the allowed forms"
		var reasons []string
		for _, cause := range e.Causes {
			sub := checker{schema: c.schema, value: c.value}
			sub.collect(cause)
			for _, f := range sub.findings {
				reasons = append(reasons, strings.TrimSpace(f.Field+" as "+f.Expected))
			}
		}
		slices.Sort(reasons)
		expected = strings.Join(slices.Compact(reasons), ", or ")
	}
	c.add(at, problem, expected)
}

// missing adds a finding for each required field that is absent, and names the one in its place
// that looks like a misspelling of it.
func (c *checker) missing(e *jsonschema.ValidationError, names []string, problem string) {
	present, _ := valueAt(c.value, e.InstanceLocation).(map[string]any)
	known := c.schema.keysAt(e.InstanceLocation)
	var strangers []string
	for name := range present {
		if !slices.Contains(known, name) {
			strangers = append(strangers, name)
		}
	}
	slices.Sort(strangers)
	for _, name := range names {
		at := join(e.InstanceLocation, name)
		expected := describe(c.schema.find(at))
		if expected == "" {
			if owner := c.schema.at[e.SchemaURL]; owner != nil {
				expected = describe(owner.Properties[name])
			}
		}
		p := problem
		if near, ok := nearest(name, strangers); ok {
			p += fmt.Sprintf("; is %q meant?", near)
		}
		c.add(at, p, cmp.Or(expected, "a value"))
	}
}

func (c *checker) addUnknown(at []string) {
	if len(at) == 0 {
		c.add(at, "is not allowed", "nothing")
		return
	}
	known := c.schema.keysAt(at[:len(at)-1])
	expected := "no such field"
	if near, ok := nearest(at[len(at)-1], known); ok {
		expected = near
	} else if len(known) > 0 {
		expected = "one of the fields " + strings.Join(known, ", ")
	}
	c.add(at, "is not a known field", expected)
	c.findings[len(c.findings)-1].unknown = true
}

func (c *checker) add(at []string, problem, expected string) {
	c.findings = append(c.findings, finding{
		Violation: Violation{Field: spell(c.value, at), Problem: problem, Expected: cmp.Or(expected, "another value")},
		path:      at,
	})
}

// isScalar reports whether v is a number or a truth value.
func isScalar(v any) bool {
	switch v.(type) {
	case nil, string, []any, map[string]any:
		return false
	default:
		return true
	}
}

// join returns a new path; at is not changed.
func join(at []string, name string) []string {
	return append(slices.Clip(slices.Clone(at)), name)
}

// spell writes a path as tags[1] or contact.email. The value tells an index from a key.
func spell(value any, at []string) string {
	var b strings.Builder
	for _, step := range at {
		switch v := value.(type) {
		case []any:
			fmt.Fprintf(&b, "[%s]", step)
			value = valueAt(v, []string{step})
			continue
		case map[string]any:
			value = v[step]
		default:
			value = nil
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(step)
	}
	return b.String()
}

// valueAt returns the value at a path, or nil.
func valueAt(value any, at []string) any {
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
