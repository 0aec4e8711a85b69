package project_test

import (
	"testing"

	"github.com/compound-docs/compound-docs/internal/project"
)

// The wanted hashes are printf %s PATH | sha256sum | cut -c1-16.
func TestPathHash(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, root, want string }{
		{"plain", "/home/me/repo", "74b392f5c9822574"},
		{"trailing slash", "/home/me/repo/", "74b392f5c9822574"},
		{"unclean", "/home//me/x/../repo", "74b392f5c9822574"},
		{"another", "/home/me/repo2", "ea1c514f65400490"},
		{"file system root", "/", "8a5edab282632443"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := project.PathHash(tt.root); got != tt.want {
				t.Errorf("PathHash(%q) = %q, want %q", tt.root, got, tt.want)
			}
		})
	}
}
