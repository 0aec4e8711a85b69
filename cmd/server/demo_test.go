package main_test

import (
	"os"
	"path/filepath"
	"testing"
)

const examples = "../../examples"

// demoProject returns a copy of the demo project that is in no repository.
func demoProject(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	must(t, os.CopyFS(root, os.DirFS(filepath.Join(examples, "demo-project"))))
	return root
}
