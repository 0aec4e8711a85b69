package jsonschema

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// Violation is one thing that is wrong with a value, in words for its writer:
// {"severity", `is "urgent"`, "one of critical, high, medium, low"}. Each is cut at 200 bytes.
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

const (
	// maxCost bounds what one check may cost at worst, in units of about a nanosecond.
	maxCost = 1_000_000_000
	// maxFindings is the largest number of findings about one value, and maxSaid that of
	// the bytes in all their texts.
	maxFindings = 100
	maxSaid     = 16 << 10
)

// Patterns of the formats that are checked, from RFC 3339, RFC 3986 and RFC 9562 in outline. Other
// formats say nothing about a value.
var formats = map[string]string{
	"date":      `^\d{4}-[01]\d-[0-3]\d$`,
	"time":      `^[0-2]\d:[0-5]\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$`,
	"date-time": `^\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$`,
	"email":     `^[^\s@<>]+@[^\s@<>]+$`,
	"uri":       `^[A-Za-z][A-Za-z0-9+.-]*:\S+$`,
	"uuid":      `^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`,
	"ipv4":      `^((25[0-5]|2[0-4]\d|1?\d?\d)(\.|$)){4}$`,
	"ipv6":      `^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*$`,
}

// layouts are the formats for which a pattern is not enough: there is no 31st of June.
var layouts = map[string]string{"date": time.DateOnly, "date-time": time.RFC3339, "time": "15:04:05Z07:00"}

// Check returns distinct findings about value, sorted by field, and nil if value is valid. It
// stops after 100 findings or 16 KiB of text. If the
// check may cost more than a second, the only finding says so. value must be as [encoding/json]
// decodes into any; its numbers may be of any type.
func (s *Schema) Check(value any) []Finding {
	values, bytes := measure(value)
	if s.size.steps*values*1_000+10*s.size.texts*values+(s.size.steps+20*s.size.patterns)*bytes > maxCost {
		return []Finding{{Violation: Violation{
			Problem: "is too large to be checked against its schema", Expected: "fewer or shorter values, or a simpler schema",
		}}}
	}
	c := checker{schema: s, value: value}
	c.check(s.root, value)
	slices.SortStableFunc(c.findings, func(a, b Finding) int { return a.Compare(b.Violation) })
	return slices.CompactFunc(c.findings, func(a, b Finding) bool { return a.Violation == b.Violation })
}

// measure counts the values in v, itself among them, and the bytes of their texts and keys.
func measure(v any) (values, bytes int) {
	values = 1
	add := func(v any) {
		below, texts := measure(v)
		values, bytes = values+below, bytes+texts
	}
	switch v := v.(type) {
	case string:
		bytes = len(v)
	case []any:
		for _, item := range v {
			add(item)
		}
	case map[string]any:
		for key, item := range v {
			bytes += len(key)
			add(item)
		}
	}
	return values, bytes
}

// checker checks one value. It goes on after a finding.
type checker struct {
	schema   *Schema
	value    any
	at       []string // where in value
	findings []Finding
	said     int // bytes in the findings
}

// check applies a schema to the value that stands where c is. It terminates because a Schema has no cycles.
func (c *checker) check(sch *jsonschema.Schema, value any) {
	if sch == nil || len(c.findings) >= maxFindings || c.said >= maxSaid {
		return
	}
	part := c.schema.parts[sch]
	if part.forbids {
		c.unknown()
		return
	}
	for _, sub := range sch.AllOf {
		c.check(sub, value)
	}
	if !fits(part.rest, value) || !fitsLayout(sch.Format, value) {
		c.whole(sch, value)
	}
	switch {
	case sch.If == nil:
	case fits(part.condition, value):
		c.check(sch.Then, value)
	default:
		c.check(sch.Else, value)
	}
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			sub := sch.Items
			if i < len(sch.PrefixItems) {
				sub = sch.PrefixItems[i]
			}
			c.below(strconv.Itoa(i), sub, item)
		}
	case map[string]any:
		c.object(sch, value)
	}
}

// fits reports whether a value fits a schema. Every value fits nil.
func fits(s *jsonschema.Resolved, value any) bool { return s == nil || s.Validate(value) == nil }

func fitsLayout(format string, value any) bool {
	layout, known := layouts[format]
	text, isText := value.(string)
	if !known || !isText {
		return true
	}
	_, err := time.Parse(layout, text)
	return err == nil
}

// below checks a value that stands one step below c.
func (c *checker) below(step string, sch *jsonschema.Schema, value any) {
	c.at = append(c.at, step)
	c.check(sch, value)
	c.at = c.at[:len(c.at)-1]
}

// whole adds the finding for a value that does not fit what a schema says about it as a whole.
func (c *checker) whole(sch *jsonschema.Schema, value any) {
	problem, expected := State(value), describe(sch)
	forms := slices.Concat(sch.AnyOf, sch.OneOf)
	switch value := value.(type) {
	case string:
		length := utf8.RuneCountInString(value)
		if value != "" && (sch.MinLength != nil && length < *sch.MinLength || sch.MaxLength != nil && length > *sch.MaxLength) {
			problem = fmt.Sprintf("has %d characters", length)
		}
	case []any:
		length := len(value)
		if length > 0 && (sch.MinItems != nil && length < *sch.MinItems || sch.MaxItems != nil && length > *sch.MaxItems) {
			problem = fmt.Sprintf("has %d entries", length)
		} else if sch.Contains != nil && expected == "" {
			problem = "does not satisfy contains"
		}
	case map[string]any:
	default:
		if value != nil && slices.Contains(sch.Types, "string") { // YAML reads version: 8.0 as a number
			expected += ", in quotes"
		}
	}
	switch {
	case expected != "":
	case sch.Not != nil:
		problem, expected = problem+", which is not allowed", "another value"
	case len(forms) > 0:
		problem, expected = "fits none of the allowed forms, or several", c.reasons(forms, value)
	}
	c.add(problem, cmp.Or(expected, "what the schema says"))
}

// reasons says what each of several schemas expects of a value that does not fit them.
func (c *checker) reasons(forms []*jsonschema.Schema, value any) string {
	var reasons []string
	for _, form := range forms {
		sub := checker{schema: c.schema, value: c.value, at: c.at, said: c.said}
		sub.check(form, value)
		for _, f := range sub.findings {
			reasons = append(reasons, strings.TrimSpace(f.Field+" as "+f.Expected))
		}
		if len(reasons) >= maxFindings {
			break
		}
	}
	slices.Sort(reasons)
	return cmp.Or(joinWords(slices.Compact(reasons), ", or "), "exactly one of them")
}

// object checks the fields of an object.
func (c *checker) object(sch *jsonschema.Schema, object map[string]any) {
	c.missing(sch, object, sch.Required, "is missing")
	for _, key := range slices.Sorted(maps.Keys(object)) {
		c.missing(sch, object, sch.DependentRequired[key], fmt.Sprintf("is missing, though %q is given", cut(key)))
		c.check(sch.DependentSchemas[key], object)
		property, known := sch.Properties[key]
		c.below(key, property, object[key])
		part := c.schema.parts[sch]
		if !fits(part.names, key) {
			c.at = append(c.at, key)
			c.add("is not an allowed name", cmp.Or(describe(sch.PropertyNames), "what the schema says"))
			c.at = c.at[:len(c.at)-1]
		}
		for pattern, sub := range part.named {
			if pattern.MatchString(key) {
				known = true
				c.below(key, sub, object[key])
			}
		}
		if !known {
			c.below(key, sch.AdditionalProperties, object[key])
		}
	}
}

// missing adds a finding for each required field that is absent. It names a field that is there
// instead and looks like a misspelling.
func (c *checker) missing(sch *jsonschema.Schema, object map[string]any, names []string, problem string) {
	var strangers []string
	for _, name := range names {
		if _, given := object[name]; given || len(c.findings) >= maxFindings || c.said >= maxSaid {
			continue
		}
		if strangers == nil {
			strangers = c.strangers(object)
		}
		c.at = append(c.at, name)
		expected := cmp.Or(describe(find(c.schema.root, c.at)), describe(sch.Properties[name]), "a value")
		p := problem
		if near := nearest(name, strangers); near != "" {
			p += fmt.Sprintf("; is %q meant?", near)
		}
		c.add(p, expected)
		c.at = c.at[:len(c.at)-1]
	}
}

// strangers lists the keys of an object that the schema does not define.
func (c *checker) strangers(object map[string]any) []string {
	known := c.schema.Keys(c.at)
	names := []string{}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if _, isKnown := slices.BinarySearch(known, name); !isKnown {
			names = append(names, name)
		}
	}
	return names
}

// unknown adds the finding for a value that the schema forbids.
func (c *checker) unknown() {
	if len(c.at) == 0 {
		c.add("is not allowed", "nothing")
		return
	}
	known := c.schema.Keys(c.at[:len(c.at)-1])
	meant := nearest(c.at[len(c.at)-1], known)
	expected := meant
	switch {
	case meant != "":
	case len(known) > 0:
		expected = "one of the fields " + joinWords(known, ", ")
	default:
		expected = "no such field"
	}
	c.add("is not a known field", expected)
	last := &c.findings[len(c.findings)-1]
	last.Unknown, last.Meant = true, meant
}

// add adds a finding about the value where c is.
func (c *checker) add(problem, expected string) {
	v := Violation{Field: spell(c.value, c.at), Problem: cut(problem), Expected: cut(expected)}
	c.said += len(v.Field) + len(v.Problem) + len(v.Expected)
	c.findings = append(c.findings, Finding{Violation: v, Path: slices.Clone(c.at)})
}
