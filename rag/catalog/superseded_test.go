package catalog_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/catalog"
)

func TestNewSuperseded(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		later map[string][]string
		want  map[string]int
	}{
		{"one after the other", map[string][]string{"a": {"b"}, "b": {"c"}}, map[string]int{"a": 2, "b": 1}},
		{"the longest way counts", map[string][]string{"a": {"d", "b"}, "b": {"c"}, "c": {"d"}}, map[string]int{"a": 3, "b": 2, "c": 1}},
		{"itself", map[string][]string{"a": {"a"}}, map[string]int{}},
		{"none", nil, map[string]int{}},
	} {
		got := catalog.NewSuperseded(test.later)
		if diff := cmp.Diff(test.want, got.Generations); diff != "" {
			t.Errorf("%s: generations (-want +got):\n%s", test.name, diff)
		}
		for path, later := range test.later {
			want := later[0]
			if want == path {
				want = ""
			}
			if got.By[path] != want {
				t.Errorf("%s: %s is replaced by %q, want %q", test.name, path, got.By[path], want)
			}
		}
	}
	// In a circle no document is replaced; one that a document of it replaces is.
	circle := catalog.NewSuperseded(map[string][]string{"a": {"b"}, "b": {"c"}, "c": {"a"}, "old": {"a"}})
	if diff := cmp.Diff(map[string]string{"old": "a"}, circle.By); diff != "" {
		t.Errorf("in a circle (-want +got):\n%s", diff)
	}
}
