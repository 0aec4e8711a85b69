package project_test

import (
	"path/filepath"
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
		{"drive", `C:\Users\me\repo`, "15f44b41dbce0360"},
		{"drive with slashes", "C:/Users/me/repo/", "15f44b41dbce0360"},
		{"drive in lower case", `c:\Users\me\repo`, "15f44b41dbce0360"},
		{"share", `\\server\share\repo`, "083caa630bc03dfd"},
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

func TestPathHash_OneCheckoutHasOne(t *testing.T) {
	t.Parallel()
	root := newRepo(t, withConfig(`{"project_name": "a"}`))
	link := filepath.Join(newRepo(t, nil), "link")
	symlink(t, root, link)
	direct := project.PathHash(mustLoad(t, root).Root)
	if linked := project.PathHash(mustLoad(t, link).Root); linked != direct {
		t.Errorf("hash through a symlink = %s, want %s", linked, direct)
	}
	other := newRepo(t, withConfig(`{"project_name": "a"}`))
	if project.PathHash(mustLoad(t, other).Root) == direct {
		t.Error("two checkouts have the same hash")
	}
}
