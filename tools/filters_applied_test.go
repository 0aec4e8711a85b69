package tools_test

import (
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/tools"
)

// Each filter reaches the search: its value leaves out a document.
func TestFilters_EachIsApplied(t *testing.T) {
	t.Parallel()
	c := connect(t, setup(t).server, protocolVersions()["handshake"])
	c.activate(t, newProject(t, `{"project_name": "p"}`, map[string]string{
		"csharp-compounding-docs/insights/harbour.md": insight("Harbour crane", "standard", "The schedule of the harbour crane."),
	}))
	found := func(with arguments) int {
		var out tools.SemanticSearchOutput
		all := arguments{"query": "harbour crane schedule"}
		maps.Copy(all, with)
		c.get(t, "semantic_search", all, &out)
		return out.TotalMatches
	}
	if found(nil) != 1 {
		t.Fatal("without a filter the document is not found")
	}
	wrong := map[string]any{
		"doc_types": []string{"tool"}, "promotion_levels": []string{"critical"}, "paths": []string{"no/such.go"},
		"status": []string{"rejected"},
	}
	for field := range reflect.TypeFor[tools.SearchFilters]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if wrong[name] == nil {
			t.Errorf("no value of %s that leaves out the document", name)
		} else if found(arguments{name: wrong[name]}) != 0 {
			t.Errorf("%s leaves out no document", name)
		}
	}
}
