package jsonschema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// join returns the path at with one more step. It does not change at.
func join(at []string, name string) []string {
	return append(slices.Clip(slices.Clone(at)), name)
}

// spell formats a path as in tags[1] or contact.email. It needs the value to tell an index from a
// key.
func spell(value any, at []string) string {
	var b strings.Builder
	for _, step := range at {
		switch v := value.(type) {
		case []any:
			fmt.Fprintf(&b, "[%s]", step)
			value = ValueAt(v, []string{step})
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
