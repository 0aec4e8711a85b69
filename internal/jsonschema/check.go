package jsonschema

import (
	"cmp"
	"fmt"
	"maps"
	"net/mail"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
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
	// maxCost bounds what one check may cost at worst, in units of about a nanosecond, and
	// the others say what the parts of a schema cost: for each value, a schema and a byte of its
	// texts; for each byte of a value, an instruction of a regular expression.
	maxCost           = 1_000_000_000
	costOfSchema      = 1_000
	costOfText        = 10
	costOfInstruction = 20
	// maxFindings is the largest number of findings about one value, and maxSaid that of
	// the bytes in all their texts.
	maxFindings = 100
	maxSaid     = 16 << 10
)

// formats says which texts have the formats that are checked.
var formats = map[string]func(text string) bool{
	"date":      func(text string) bool { return hasLayout(text, time.DateOnly) },
	"time":      func(text string) bool { return hasLayout(text, "15:04:05Z07:00") },
	"date-time": func(text string) bool { return hasLayout(text, time.RFC3339) },
	"email": func(text string) bool {
		address, err := mail.ParseAddress(text)
		return err == nil && address.Address == text
	},
	"uri": func(text string) bool {
		address, err := url.Parse(text)
		return err == nil && address.IsAbs()
	},
	"uuid": func(text string) bool { return uuid.Validate(text) == nil },
	"ipv4": func(text string) bool {
		address, err := netip.ParseAddr(text)
		return err == nil && address.Is4()
	},
	"ipv6": func(text string) bool {
		address, err := netip.ParseAddr(text)
		return err == nil && address.Is6() && address.Zone() == ""
	},
}

func hasLayout(text, layout string) bool {
	_, err := time.Parse(layout, text)
	return err == nil
}

// Check returns distinct findings about value, sorted by field, and nil if value is valid. It
// stops after 100 findings or 16 KiB of text. If the check may cost more than a second, the only
// finding says so. value must be as [encoding/json] decodes into any; its numbers may be of any type.
func (s *Schema) Check(value any) []Finding {
	values, bytes := measure(value)
	if s.perValue*values+s.perByte*bytes > maxCost {
		return []Finding{{Violation: Violation{
			Problem: "is too large to be checked against its schema", Expected: "fewer or shorter values, or a simpler schema",
		}}}
	}
	c := checker{root: s, value: value}
	c.check(s, value)
	slices.SortStableFunc(c.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Problem, b.Problem), cmp.Compare(a.Expected, b.Expected))
	})
	return slices.CompactFunc(c.findings, func(a, b Finding) bool { return a.Violation == b.Violation })
}

// measure counts the values in v, itself among them, and the bytes of their texts and keys.
func measure(v any) (values, bytes float64) {
	values = 1
	add := func(v any) {
		below, texts := measure(v)
		values, bytes = values+below, bytes+texts
	}
	switch v := v.(type) {
	case string:
		bytes = float64(len(v))
	case []any:
		for _, item := range v {
			add(item)
		}
	case map[string]any:
		for key, item := range v {
			bytes += float64(len(key))
			add(item)
		}
	}
	return values, bytes
}

// checker checks one value. It goes on after a finding.
type checker struct {
	root     *Schema
	value    any
	at       []string // where in value
	findings []Finding
	said     int // bytes in the findings
}

func (c *checker) full() bool { return len(c.findings) >= maxFindings || c.said >= maxSaid }

// check applies a schema to the value that stands where c is. It terminates because a Schema has no cycles.
func (c *checker) check(s *Schema, value any) {
	if s == nil || c.full() {
		return
	}
	if s.forbids {
		c.unknown()
		return
	}
	for _, sub := range s.allOf {
		c.check(sub, value)
	}
	text, isText := value.(string)
	fits := formats[s.own.Format]
	if s.checks != nil && s.checks.Validate(value) != nil || isText && fits != nil && !fits(text) || !s.alternative(value) {
		c.whole(s, value)
	}
	if s.condition != nil && s.condition.accepts(value) {
		c.check(s.then, value)
	} else if s.condition != nil {
		c.check(s.otherwise, value)
	}
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			c.below(strconv.Itoa(i), s.items, item)
		}
	case map[string]any:
		c.missing(s, value)
		for _, key := range slices.Sorted(maps.Keys(value)) {
			sub, known := s.properties[key]
			if !known {
				sub = s.additional
			}
			c.below(key, sub, value[key])
		}
	}
}

// alternative reports whether a value is what anyOf, oneOf and not allow.
func (s *Schema) alternative(value any) bool {
	rejects := func(sub *Schema) bool { return !sub.accepts(value) }
	fitting := len(slices.DeleteFunc(slices.Clone(s.oneOf), rejects))
	return (len(s.anyOf) == 0 || slices.ContainsFunc(s.anyOf, func(sub *Schema) bool { return sub.accepts(value) })) &&
		(len(s.oneOf) == 0 || fitting == 1) && (s.not == nil || !s.not.accepts(value))
}

// accepts reports whether a value fits a schema.
func (s *Schema) accepts(value any) bool {
	c := checker{root: s, value: value}
	c.check(s, value)
	return len(c.findings) == 0
}

// below checks a value that stands one step below c.
func (c *checker) below(step string, s *Schema, value any) {
	c.at = append(c.at, step)
	c.check(s, value)
	c.at = c.at[:len(c.at)-1]
}

// whole adds the finding for a value that does not fit what a schema says about it as a whole.
func (c *checker) whole(s *Schema, value any) {
	problem, expected := State(value), cmp.Or(s.describe(), "what the schema says")
	own := s.own
	switch value := value.(type) {
	case string:
		if length := utf8.RuneCountInString(value); length > 0 && isOutside(length, own.MinLength, own.MaxLength) {
			problem = fmt.Sprintf("has %d characters", length)
		}
	case []any:
		if length := len(value); length > 0 && isOutside(length, own.MinItems, own.MaxItems) {
			problem = fmt.Sprintf("has %d entries", length)
		}
	case map[string]any, nil:
	default:
		if n := len(own.Types); n > 0 && own.Types[n-1] == "string" { // YAML reads version: 8.0 as a number
			expected += ", in quotes"
		}
	}
	c.add(problem, expected)
}

func isOutside(n int, least, most *int) bool {
	return least != nil && n < *least || most != nil && n > *most
}

// missing adds a finding for each required field that is absent. It names a field that is there
// instead and looks like a misspelling.
func (c *checker) missing(s *Schema, object map[string]any) {
	for _, name := range s.own.Required {
		if _, given := object[name]; given || c.full() {
			continue
		}
		known := c.root.Keys(c.at)
		strangers := slices.DeleteFunc(slices.Sorted(maps.Keys(object)), func(key string) bool {
			_, isKnown := slices.BinarySearch(known, key)
			return isKnown
		})
		problem := "is missing"
		if near := nearest(name, strangers); near != "" {
			problem += fmt.Sprintf("; is %q meant?", near)
		}
		c.at = append(c.at, name)
		c.add(problem, cmp.Or(c.root.find(c.at).describe(), s.properties[name].describe(), "a value"))
		c.at = c.at[:len(c.at)-1]
	}
}

// unknown adds the finding for a value that the schema forbids.
func (c *checker) unknown() {
	if len(c.at) == 0 {
		c.add("is not allowed", "nothing")
		return
	}
	known := c.root.Keys(c.at[:len(c.at)-1])
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
