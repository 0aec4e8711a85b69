package workspace

import (
	"context"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/test/gitrepo"
)

// A name without folders means a file below if the repository has few of the name, and none at its top.
func TestSources_Citing(t *testing.T) {
	t.Parallel()
	repo := gitrepo.New(t)
	repo.Git("init", "-q", "-b", "main")
	for _, name := range []string{"a/keys.py", "b/keys.py", "a/top.py", "top.py", "a/x.py", "b/x.py", "c/x.py"} {
		repo.Put(name, "x\n")
	}
	repo.Commit()
	moved := func(context.Context) map[string]string {
		return map[string]string{"old/keys.py": "b/keys.py", "old/": "a/"}
	}
	for _, tt := range []struct {
		cited, place string
		want         bool
	}{
		{"keys.py", "a/keys.py", true},
		{"keys.py", "b/keys.py", true},
		{"keys.py:2", "a/keys.py:2-3", true},
		{"keys.py:9", "a/keys.py:2-3", false},
		{"a/keys.py", "b/keys.py", false},
		{"top.py", "a/top.py", false},
		{"top.py", "top.py", true},
		{"x.py", "a/x.py", false},
		{"old/keys.py:2", "b/keys.py:2-3", true},
		{"old/keys.py", "a/keys.py", false},
		{"old/", "a/keys.py", true},
	} {
		cites := Sources{repo.Root, moved}.Citing(t.Context(), document.ParsePlace(tt.place))
		if got := cites(document.ParsePlace(tt.cited)); got != tt.want {
			t.Errorf("%s means %s: %v", tt.cited, tt.place, got)
		}
	}
	if (Sources{t.TempDir(), moved}).Citing(t.Context(), document.Place{Path: "a/keys.py"})(document.Place{Path: "keys.py"}) {
		t.Error("without a history a bare name means a file below")
	}
}

func TestSources_Text(t *testing.T) {
	t.Parallel()
	repo := gitrepo.New(t)
	repo.Put("large.go", strings.Repeat("é", maxSource))
	repo.Put(".env", "KEY=1\n")
	s := Sources{Root: repo.Root}
	if got := len(s.Text("large.go")); got != maxSource {
		t.Errorf("%d bytes of a large file", got)
	}
	for _, name := range []string{".env", "none.go", "../x.go"} {
		if got := s.Text(name); got != "" {
			t.Errorf("%s is read: %q", name, got)
		}
	}
}
