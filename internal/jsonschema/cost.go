package jsonschema

import (
	"fmt"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	// maxCost bounds the estimated cost of one check, in units of about ten
	// nanoseconds. Each sub-schema costs something for every value that it applies to,
	// and each pattern for every character of the texts that it searches.
	maxCost = 20_000_000
	// stepCost is the cost of applying a sub-schema to a value.
	stepCost = 100
)

// maxPatternSize is the largest number of instructions of a compiled regular
// expression. Nested repetitions multiply it.
const maxPatternSize = 5_000

var errPatternTooLarge = fmt.Errorf("repeats so much that it has more than %d steps", maxPatternSize)

// patternSize estimates the number of instructions of a regular expression, which is
// its cost per character of a text. It is checked before the expression is compiled,
// because compiling takes memory in proportion to it.
func patternSize(pattern string) (int, error) {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0, err //nolint:wrapcheck // the compiler of the schema wraps it
	}
	size := programSize(parsed)
	if size > maxPatternSize {
		return 0, errPatternTooLarge
	}
	return size, nil
}

func programSize(re *syntax.Regexp) int {
	size := 1 + len(re.Rune)
	if re.Op == syntax.OpCharClass {
		size = 1 + len(re.Rune)/8
	}
	for _, sub := range re.Sub {
		size += programSize(sub)
	}
	if re.Op == syntax.OpRepeat {
		size *= max(re.Max, re.Min+1, 1)
	}
	return min(size, 1<<30)
}

// meter subtracts the cost of a check from a budget. It assumes that no part of the
// check is skipped.
type meter struct {
	patterns map[string]int // the size of each regular expression, by its text
	left     int            // of the budget
}

// spend subtracts a cost, and reports whether the budget still suffices.
func (m *meter) spend(cost int) bool {
	m.left -= cost
	return m.left >= 0
}

// check spends the cost of applying the schema to the value, and reports whether the
// budget suffices. It terminates because a Schema has no cycles.
func (m *meter) check(sch *jsonschema.Schema, value any) bool {
	if sch == nil {
		return true
	}
	if !m.spend(stepCost + len(sch.Required)) {
		return false
	}
	if (sch.Enum != nil || sch.Const != nil || sch.UniqueItems) && !m.compare(sch, value) {
		return false
	}
	for _, same := range sameValue(sch) {
		if !m.check(same, value) {
			return false
		}
	}
	switch value := value.(type) {
	case string:
		cost := 1
		if sch.Pattern != nil {
			cost += m.patterns[sch.Pattern.String()]
		}
		return m.spend(cost * (len(value)/patternShare(sch) + 1))
	case []any:
		return m.items(sch, value)
	case map[string]any:
		return m.properties(sch, value)
	}
	return true
}

// patternShare is the divisor of a text's length: checks that only count characters
// cost a tenth.
func patternShare(sch *jsonschema.Schema) int {
	if sch.Pattern != nil || sch.Format != nil {
		return 1
	}
	return 10
}

// compare spends the cost of enum, const and uniqueItems.
func (m *meter) compare(sch *jsonschema.Schema, value any) bool {
	others := 1
	if sch.Enum != nil {
		others += len(sch.Enum.Values)
	}
	if list, ok := value.([]any); ok && sch.UniqueItems {
		others += min(len(list), 20)
	}
	return m.spend(others * sizeOf(value, m.left))
}

// sizeOf estimates the cost of comparing a value, and stops counting at about most.
func sizeOf(value any, most int) int {
	size := 1
	switch value := value.(type) {
	case string:
		size += len(value) / 10
	case []any:
		for _, item := range value {
			if size += sizeOf(item, most-size); size > most {
				break
			}
		}
	case map[string]any:
		for key, item := range value {
			if size += len(key)/10 + sizeOf(item, most-size); size > most {
				break
			}
		}
	}
	return size
}

// sameValue lists the schemas that sch applies to its own value, not to parts of it.
func sameValue(sch *jsonschema.Schema) []*jsonschema.Schema {
	var list []*jsonschema.Schema
	for _, group := range [][]*jsonschema.Schema{
		{sch.Ref, sch.Not, sch.If, sch.Then, sch.Else}, sch.AllOf, sch.AnyOf, sch.OneOf,
	} {
		list = append(list, group...)
	}
	for _, dependent := range sch.DependentSchemas {
		list = append(list, dependent)
	}
	for _, dependent := range sch.Dependencies {
		list = appendSchemas(list, dependent)
	}
	return list
}

// items spends the cost of a list's entries, each with every schema for entries.
func (m *meter) items(sch *jsonschema.Schema, list []any) bool {
	every := []*jsonschema.Schema{sch.Items2020, sch.Contains, sch.UnevaluatedItems}
	every = appendSchemas(every, sch.AdditionalItems)
	var byPlace []*jsonschema.Schema
	switch items := sch.Items.(type) {
	case *jsonschema.Schema:
		every = append(every, items)
	case []*jsonschema.Schema:
		byPlace = items
	}
	if sch.PrefixItems != nil {
		byPlace = sch.PrefixItems
	}
	for i, item := range list {
		if i < len(byPlace) && !m.check(byPlace[i], item) {
			return false
		}
		for _, s := range every {
			if !m.check(s, item) {
				return false
			}
		}
	}
	return true
}

// properties spends the cost of an object's keys and values, each with every schema
// that may apply to it.
func (m *meter) properties(sch *jsonschema.Schema, object map[string]any) bool {
	every := appendSchemas([]*jsonschema.Schema{sch.UnevaluatedProperties}, sch.AdditionalProperties)
	for key, value := range object {
		if !m.check(sch.Properties[key], value) || !m.check(sch.PropertyNames, key) {
			return false
		}
		for pattern, s := range sch.PatternProperties {
			if !m.spend((m.patterns[pattern.String()]+1)*(len(key)+1)) || !m.check(s, value) {
				return false
			}
		}
		for _, s := range every {
			if !m.check(s, value) {
				return false
			}
		}
	}
	return true
}
