package rag

import (
	"testing"

	"github.com/google/go-cmp/cmp"
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
		{"itself", map[string][]string{"a": {"a"}}, map[string]int{"a": 1}},
		{"none", nil, map[string]int{}},
	} {
		got := newSuperseded(test.later)
		if diff := cmp.Diff(test.want, got.generations); diff != "" {
			t.Errorf("%s: generations (-want +got):\n%s", test.name, diff)
		}
		for path, later := range test.later {
			if got.by[path] != later[0] {
				t.Errorf("%s: %s is replaced by %q, want %q", test.name, path, got.by[path], later[0])
			}
		}
	}
	// In a circle every document is replaced, and the counting ends.
	circle := newSuperseded(map[string][]string{"a": {"b"}, "b": {"c"}, "c": {"a"}})
	for _, path := range []string{"a", "b", "c"} {
		if circle.generations[path] < 1 {
			t.Errorf("in a circle %s is replaced by %d documents", path, circle.generations[path])
		}
	}
}
