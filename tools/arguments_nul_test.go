package tools_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Neither PostgreSQL nor a path can hold a NUL character, so every tool rejects one in
// any of its texts.
func TestArguments_RejectNULInEveryText(t *testing.T) {
	t.Parallel()
	c := connect(t, offline(), "2025-11-25")
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	texts := 0
	for _, tool := range list.Tools {
		schema := schemaOf(t, tool.InputSchema)
		for name, property := range schema.Properties {
			var wrong any
			switch property.Type {
			case "string":
				wrong = "a\x00b"
			case "array":
				wrong = []string{"a", "b\x00"}
			default:
				continue
			}
			texts++
			arguments := map[string]any{}
			for _, required := range schema.Required {
				if examples := schema.Properties[required].Examples; len(examples) > 0 {
					arguments[required] = examples[0]
				}
			}
			arguments[name] = wrong
			got := c.fail(t, tool.Name, arguments)
			restricted := slices.Contains([]string{"promotion_level", "promotion_levels", "min_promotion_level", "project_name", "mode", "event", "status"}, name)
			if got.Code != "INVALID_ARGUMENT" || !restricted && !strings.Contains(got.Message, name+" holds a NUL character") {
				t.Errorf("%s: %s with a NUL: %+v", tool.Name, name, got)
			}
			if !restricted && fmt.Sprint(got.Details["parameter"]) != name {
				t.Errorf("%s: details %v do not name %s", tool.Name, got.Details, name)
			}
		}
	}
	if texts < 15 {
		t.Errorf("only %d texts were tried", texts)
	}
}
