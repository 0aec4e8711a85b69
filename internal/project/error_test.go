package project_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/project"
)

// A caller reports a file that cannot be read otherwise than one that says something
// wrong, and names the place.
func TestConfigError_TellsUnreadableFromWrong(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		files      map[string]string
		key        string
		unreadable bool
	}{
		{"a folder in its place", map[string]string{configPath + "/": ""}, "", true},
		{"too large", withConfig("{}" + strings.Repeat(" ", 1<<20)), "", true},
		{"missing", map[string]string{}, "", false},
		{"not JSON", withConfig("{"), "", false},
		{"a wrong value", withConfig(`{"project_name": "a", "retrieval": {"max_results": 0}}`), "retrieval.max_results", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := newRepo(t, tt.files)
			_, err := project.Load(root)
			got, ok := errors.AsType[*project.ConfigError](err)
			if !ok {
				t.Fatalf("%T is not a *ConfigError: %v", err, err)
			}
			if got.Unreadable() != tt.unreadable {
				t.Errorf("Unreadable() = %t, want %t: %v", got.Unreadable(), tt.unreadable, err)
			}
			if missing := errors.Is(err, fs.ErrNotExist); missing != (tt.name == "missing") {
				t.Errorf("%v is fs.ErrNotExist: %t", err, missing)
			}
			if path, key := got.Location(); path != filepath.Join(root, filepath.FromSlash(configPath)) || key != tt.key {
				t.Errorf("Location() = %q, %q, want the configuration and %q", path, key, tt.key)
			}
		})
	}
}
