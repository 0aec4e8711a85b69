package project_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/project"
)

// newRepo makes a repository with the given files (by path relative to it) and returns its root
// with symlinks resolved. A path that ends in / is a folder.
func newRepo(t testing.TB, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		write(t, filepath.Join(root, filepath.FromSlash(name)), content, strings.HasSuffix(name, "/"))
	}
	return root
}

func write(t testing.TB, path, content string, folder bool) {
	t.Helper()
	dir := filepath.Dir(path)
	if folder {
		dir = path
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	if folder {
		return
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func symlink(t testing.TB, target, link string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(link), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
}

const configPath = ".csharp-compounding-docs/config.json"

// withConfig returns the files of a repository that has only a configuration.
func withConfig(config string) map[string]string { return map[string]string{configPath: config} }

// mustLoad loads the project at root.
func mustLoad(t *testing.T, root string, allowed ...string) *project.Project {
	t.Helper()
	p, err := project.Load(root, allowed...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// message returns the text of an error that has to be a *ConfigError, with root taken out of it.
func message(t *testing.T, err error, root string) string {
	t.Helper()
	if err == nil {
		t.Fatal("want an error")
	}
	if _, ok := errors.AsType[*project.ConfigError](err); !ok {
		t.Fatalf("%T is not a *ConfigError: %v", err, err)
	}
	return strings.ReplaceAll(filepath.ToSlash(err.Error()), filepath.ToSlash(root), "ROOT")
}
