package contain

import "testing"

// A hidden file has other names on some file systems.
func TestHidden_ByEveryName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]bool{ // on Linux, on Windows
		".git": {true, true}, ".GIT": {true, true}, ".env": {true, true}, "...": {true, true}, ".git::$INDEX_ALLOCATION": {true, true},
		"\u200c.git": {true, true}, "\ufeff\u202e.git": {true, true},
		"git~1": {true, true}, "GIT~1": {true, true}, "Git~12": {true, true}, "ENV~1": {false, true}, "NOTES~1.MD": {false, true},
		"a.git": {false, false}, "git": {false, false}, "~1": {false, false}, "a~b.md": {false, false}, "toolong~1.md": {false, false},
		".": {false, false}, "..": {false, false}, "": {false, false}, "ü.md": {false, false},
	} {
		if got := [2]bool{hiddenOn(name, "linux"), hiddenOn(name, "windows")}; got != want {
			t.Errorf("%q is hidden: %v, want %v", name, got, want)
		}
	}
	for name, want := range map[string]bool{"a/.git/b": true, "a/b": false, "../a": false, "a/./b": false, "a/b/.c": true} {
		if got := Hidden(name); got != want {
			t.Errorf("%q is hidden: %t", name, got)
		}
	}
}
