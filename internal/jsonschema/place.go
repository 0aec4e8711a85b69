package jsonschema

import (
	"fmt"
	"strconv"
	"strings"
)

// spell formats a path as in tags[1] or contact.email, cut as every phrase. It needs the value to
// tell an index from a key.
func spell(value any, at []string) string {
	var b strings.Builder
	for _, step := range at {
		if b.Len() > maxPhrase {
			break
		}
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
		b.WriteString(cut(step))
	}
	return cut(b.String())
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
