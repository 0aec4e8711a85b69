package jsonschema

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Violation is one thing that is wrong with a value, in words for its writer:
// {"severity", `is "urgent"`, "one of critical, high, medium, low"}.
type Violation struct {
	// Field is the place in the value, such as severity, tags[1] or contact.email; "" for the whole value.
	Field string `json:"field"`
	// Problem completes the sentence that Field begins.
	Problem string `json:"problem"`
	// Expected is what would be right: a noun phrase, never empty.
	Expected string `json:"expected"`
}

// Compare orders violations by field, then by problem.
func (v Violation) Compare(other Violation) int {
	return cmp.Or(
		cmp.Compare(v.Field, other.Field),
		cmp.Compare(v.Problem, other.Problem),
		cmp.Compare(v.Expected, other.Expected),
	)
}

// Finding is a violation with its path, and with what an unknown field probably means.
type Finding struct {
	Violation
	// Path is Field as a list of keys and indexes.
	Path []string
	// Unknown says that the schema does not name the field.
	Unknown bool
	// Meant is the known field that an unknown one probably misspells, or "".
	Meant string
}

// maxFindings is the largest number of findings about one value.
const maxFindings = 100

// Check returns at most maxFindings distinct findings about value, sorted by field; nil if value is
// valid. If the check is estimated to cost more than maxCost, value is not checked, and the only
// finding says so. value must be as [encoding/json] decodes into any.
func (s *Schema) Check(value any) []Finding {
	m := meter{patterns: s.patterns, left: maxCost}
	if !m.check(s.root, value) {
		return []Finding{{Violation: Violation{
			Problem: "is too large to be checked against its schema", Expected: "fewer or shorter values, or a simpler schema",
		}}}
	}
	err := s.root.Validate(value)
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return nil
	}
	c := checker{schema: s, value: value}
	c.collect(invalid)
	slices.SortStableFunc(c.findings, func(a, b Finding) int { return a.Compare(b.Violation) })
	return slices.CompactFunc(c.findings, func(a, b Finding) bool { return a.Violation == b.Violation })
}

// checker translates the errors of one validation.
type checker struct {
	schema   *Schema
	value    any
	findings []Finding
}

// collect traverses the tree of errors and adds a finding for each that a writer can act on.
func (c *checker) collect(e *jsonschema.ValidationError) {
	if len(c.findings) >= maxFindings {
		return
	}
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
	value := ValueAt(c.value, at)
	expected := describe(c.schema.at[e.SchemaURL])
	problem := State(value)
	switch k := e.ErrorKind.(type) {
	case *kind.FalseSchema:
		c.addUnknown(at)
		return
	case *kind.Type:
		// YAML reads version: 8.0 as a number.
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
		problem, expected = State(value)+", which is not allowed", "another value"
	case *kind.Enum, *kind.Const, *kind.Format, *kind.Pattern,
		*kind.Minimum, *kind.Maximum, *kind.ExclusiveMinimum, *kind.ExclusiveMaximum, *kind.MultipleOf:
	default:
		rule := strings.Join(e.ErrorKind.KeywordPath(), " ")
		problem = strings.TrimSpace("does not satisfy " + rule)
		expected = "what the schema says"
	}
	c.add(at, problem, expected)
}

// addAlternatives adds one finding for a value that fits none of several schemas.
func (c *checker) addAlternatives(e *jsonschema.ValidationError) {
	at := e.InstanceLocation
	problem, expected := State(ValueAt(c.value, at)), describe(c.schema.at[e.SchemaURL])
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

// missing adds a finding for each required field that is absent. It names a field that is there
// instead and looks like a misspelling.
func (c *checker) missing(e *jsonschema.ValidationError, names []string, problem string) {
	present, _ := ValueAt(c.value, e.InstanceLocation).(map[string]any)
	known := c.schema.Keys(e.InstanceLocation)
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
		if near := nearest(name, strangers); near != "" {
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
	known := c.schema.Keys(at[:len(at)-1])
	meant := nearest(at[len(at)-1], known)
	expected := meant
	switch {
	case meant != "":
	case len(known) > 0:
		expected = "one of the fields " + strings.Join(known, ", ")
	default:
		expected = "no such field"
	}
	c.add(at, "is not a known field", expected)
	last := &c.findings[len(c.findings)-1]
	last.Unknown, last.Meant = true, meant
}

func (c *checker) add(at []string, problem, expected string) {
	c.findings = append(c.findings, Finding{
		Violation: Violation{Field: spell(c.value, at), Problem: problem, Expected: cmp.Or(expected, "another value")},
		Path:      at,
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
