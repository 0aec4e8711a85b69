package jsonschema_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/project/jsonschema"
)

// isTooComplex says that a schema was refused for what checks against it would cost.
func isTooComplex(err error) bool {
	e, ok := errors.AsType[*jsonschema.Error](err)
	return ok && strings.Contains(e.Error(), "is too complex") && len(e.Error()) < 500
}

// allOf is a schema that applies another one so many times.
func allOf(times int, ref, definition string) string {
	refs := strings.TrimSuffix(strings.Repeat(`{"$ref":"#/$defs/`+ref+`"},`, times), ",")
	return fmt.Sprintf(`{"$defs":{%q:%s},"properties":{"title":{"allOf":[%s]},"tags":{"items":{"allOf":[%s]}}}}`, ref, definition, refs, refs)
}

// list has so many different texts.
func list(number int) []any {
	values := make([]any, number)
	for i := range values {
		values[i] = fmt.Sprint("tag ", i)
	}
	return values
}

func TestCompile_RefusesPatternsThatGrow(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{`((a{1,30}){1,30}){1,30}`, `(\\w{1,100}-){1,100}`} {
		_, err := compileText(t, `{"properties":{"title":{"pattern":"`+pattern+`"}}}`)
		if _, ok := errors.AsType[*jsonschema.Error](err); !ok {
			t.Errorf("%s: error is %v, want an *Error", pattern, err)
		}
	}
	for _, pattern := range []string{`^[a-z]{1,200}$`, `^\\p{L}+( \\p{L}+)*$`, `^(\\d{1,3}\\.){3}\\d{1,3}$`, `^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`} {
		s := compile(t, `{"properties":{"title":{"pattern":"`+pattern+`"}}}`)
		if faults := s.Check(map[string]any{"title": "?"}); len(faults) != 1 || faults[0].Field != "title" {
			t.Errorf("%s: faults %v", pattern, faults)
		}
	}
}

// A check that would take minutes is refused.
//
//nolint:paralleltest // it measures time
func TestCheck_GivesUpWhatTakesTooLong(t *testing.T) {
	long := strings.Repeat("word ", 12_000)
	for name, test := range map[string]struct {
		schema string
		value  any
	}{
		"patterns behind references": {allOf(95, "p", `{"pattern":"^((a|w|o|r|d| ){1,9}){1,9}$"}`), map[string]any{"title": long}},
		"steps for many values":      {allOf(300, "s", `{"type":"string"}`), map[string]any{"tags": list(9_900)}},
	} {
		s, err := compileText(t, test.schema)
		if isTooComplex(err) {
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		faults := s.Check(test.value)
		runtime.ReadMemStats(&after)
		if len(faults) != 1 || !strings.Contains(faults[0].Problem, "too large to be checked") {
			t.Errorf("%s: %d faults, want that it is too large", name, len(faults))
		}
		if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 100 {
			t.Errorf("%s takes %d MB", name, used)
		}
	}
}
