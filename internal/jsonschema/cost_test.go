package jsonschema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/jsonschema"
)

// compileText compiles a schema that is given as JSON.
func compileText(t *testing.T, text string) (*jsonschema.Schema, error) {
	t.Helper()
	var doc any
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	return jsonschema.Compile(map[string]any{"schema": doc}, "schema", "")
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
	for _, pattern := range []string{`((a{1,30}){1,30}){1,30}`, `(\\w{1,100}-){1,100}`, `(((x?){10}){10}){10}(((x?){10}){10}){10}`} {
		_, err := compileText(t, `{"properties":{"title":{"pattern":"`+pattern+`"}}}`)
		if _, ok := errors.AsType[*jsonschema.Error](err); !ok {
			t.Errorf("%s: error is %v, want an *Error", pattern, err)
		}
	}
	for _, pattern := range []string{`^[a-z]{1,200}$`, `^\\p{L}+( \\p{L}+)*$`, `^(\\d{1,3}\\.){3}\\d{1,3}$`, `^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`} {
		s, err := compileText(t, `{"properties":{"title":{"pattern":"`+pattern+`"}}}`)
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		if findings := s.Check(map[string]any{"title": "?"}); len(findings) != 1 || findings[0].Field != "title" {
			t.Errorf("%s: findings %v", pattern, findings)
		}
	}
}

// What would take minutes is not begun.
//
//nolint:paralleltest // it measures time
func TestCheck_GivesUpWhatTakesTooLong(t *testing.T) {
	long := strings.Repeat("word ", 12_000)
	for name, test := range map[string]struct {
		schema string
		value  any
	}{
		"patterns behind references": {allOf(95, "p", `{"pattern":"^((a|w|o|r|d| ){1,30}){1,30}$"}`), map[string]any{"title": long}},
		"steps for many values":      {allOf(300, "s", `{"type":"integer"}`), map[string]any{"tags": list(9_900)}},
		"a pattern for many keys": {
			`{"patternProperties":{"^(.{1,30}){1,30}$":{"type":"integer"}}}`,
			map[string]any{"title": 1, strings.Repeat("k", 30_000): 1},
		},
		"nested alternatives": {
			`{"$defs":{"a":{"anyOf":[{"type":"integer"},{"type":"boolean"}]}},"properties":{"tags":{"items":{"anyOf":[` +
				strings.TrimSuffix(strings.Repeat(`{"$ref":"#/$defs/a"},`, 400), ",") + `]}}}}`,
			map[string]any{"tags": list(9_900)},
		},
	} {
		s, err := compileText(t, test.schema)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		findings := s.Check(test.value)
		runtime.ReadMemStats(&after)
		if len(findings) != 1 || !strings.Contains(findings[0].Problem, "too large to be checked") {
			t.Errorf("%s: %d findings, want that it is too large", name, len(findings))
		}
		if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 100 {
			t.Errorf("%s takes %d MB", name, used)
		}
	}
}

// What is long and can be checked is, and not every finding is told.
func TestCheck_EndsAfterManyFindings(t *testing.T) {
	t.Parallel()
	s, err := compileText(t, `{"properties":{"tags":{"items":{"type":"integer"}},"title":{"pattern":"^[a-z ]+$"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	value := map[string]any{"tags": list(9_900), "title": strings.Repeat("word ", 12_000)}
	if findings := s.Check(value); len(findings) != 100 {
		t.Errorf("%d findings, want 100", len(findings))
	}
	value["tags"] = []any{}
	if findings := s.Check(value); len(findings) != 0 {
		t.Errorf("findings %v", findings)
	}
}
