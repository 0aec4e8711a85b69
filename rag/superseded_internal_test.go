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
		{"itself", map[string][]string{"a": {"a"}}, map[string]int{}},
		{"none", nil, map[string]int{}},
	} {
		got := newSuperseded(test.later)
		if diff := cmp.Diff(test.want, got.generations); diff != "" {
			t.Errorf("%s: generations (-want +got):\n%s", test.name, diff)
		}
		for path, later := range test.later {
			want := later[0]
			if want == path {
				want = ""
			}
			if got.by[path] != want {
				t.Errorf("%s: %s is replaced by %q, want %q", test.name, path, got.by[path], want)
			}
		}
	}
	// In a circle no document is replaced; one that a document of it replaces is.
	circle := newSuperseded(map[string][]string{"a": {"b"}, "b": {"c"}, "c": {"a"}, "old": {"a"}})
	if diff := cmp.Diff(map[string]string{"old": "a"}, circle.by); diff != "" {
		t.Errorf("in a circle (-want +got):\n%s", diff)
	}
}
