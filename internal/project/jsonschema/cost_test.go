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

// What is long and can be checked is, and not every finding is told.
func TestCheck_EndsAfterManyFindings(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"properties":{"tags":{"items":{"type":"integer"}},"title":{"pattern":"^[a-z ]+$"}}}`)
	value := map[string]any{"tags": list(9_900), "title": strings.Repeat("word ", 12_000)}
	if faults := s.Check(value); len(faults) != 25 {
		t.Errorf("%d faults, want 25", len(faults))
	}
	value["tags"] = []any{}
	if faults := s.Check(value); len(faults) != 0 {
		t.Errorf("faults %v", faults)
	}
}

// The text of a check is bounded, even if the texts of the schema and of the value are long.
//
//nolint:paralleltest // it measures memory
func TestCheck_SaysLittle(t *testing.T) {
	const long, inSchema = 900_000, 1_500
	name := strings.Repeat("n", 900)
	keys := map[string]any{}
	for i := range 150 {
		keys[fmt.Sprint("key", i)] = "x"
	}
	longKeys, enum := map[string]any{}, []string{}
	for i := range 190 {
		longKeys[fmt.Sprint(name, i)] = "x"
		enum = append(enum, fmt.Sprintf("%q", fmt.Sprint(name, i)))
	}
	values := strings.Join(enum, ",")
	for name, test := range map[string]struct {
		schema string
		value  any
	}{
		"all of a long text": {
			`{"$defs":{"c":{"const":"` + strings.Repeat("c", inSchema) + `"}},"additionalProperties":{"allOf":[` +
				strings.TrimSuffix(strings.Repeat(`{"$ref":"#/$defs/c"},`, 100), ",") + `]}}`, keys,
		},
		"long values":        {`{"additionalProperties":{"enum":[` + values + `]}}`, keys},
		"long names":         {`{"properties":{` + strings.ReplaceAll(values, `",`, `":{},`) + `:{}},"additionalProperties":false}`, keys},
		"long required":      {`{"required":[` + values + `]}`, map[string]any{}},
		"long keys":          {`{"additionalProperties":false}`, longKeys},
		"long keys, missing": {`{"required":["a"]}`, longKeys},
		"a long pattern":     {`{"additionalProperties":{"pattern":"^` + strings.Repeat("a", 999) + `"}}`, longKeys},
		"a long value":       {`{"additionalProperties":{"type":"integer"}}`, map[string]any{"a": strings.Repeat("v", long)}},
		"a forbidden text":   {`{"items":false}`, []any{strings.Repeat("v", long)}},
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
		said := 0
		for _, f := range faults {
			said += len(f.Field) + len(f.Problem) + len(f.Expected)
			if max(len(f.Field), len(f.Problem), len(f.Expected)) > 200 {
				t.Errorf("%s: a phrase is longer than 200 bytes: %+v", name, f)
			}
		}
		if len(faults) == 0 || said > 17_000 {
			t.Errorf("%s: %d faults of %d bytes", name, len(faults), said)
		}
		if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 200 {
			t.Errorf("%s takes %d MB", name, used)
		}
	}
}
