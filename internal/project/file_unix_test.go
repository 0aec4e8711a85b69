//go:build unix

package project_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/project"
)

// A named pipe that nobody writes to blocks whoever opens it.
func TestLoad_NamedPipeDoesNotBlock(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, pipe, config string }{
		{"configuration", configPath, ""},
		{
			"schema", "csharp-compounding-docs/schemas/adr.yaml",
			`{"project_name": "a", "custom_doc_types": [{"name": "adr", "folder": "adr", "schema_file": "schemas/adr.yaml"}]}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := newRepo(t, nil)
			if tt.config != "" {
				write(t, filepath.Join(root, configPath), tt.config, false)
			}
			write(t, filepath.Dir(filepath.Join(root, tt.pipe)), "", true)
			if err := syscall.Mkfifo(filepath.Join(root, tt.pipe), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := project.Load(root)
			want := "ROOT/" + tt.pipe + " is not a regular file. Put a file there in its place."
			if diff := cmp.Diff(want, message(t, err, root)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
