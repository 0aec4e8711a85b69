package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A config comes with a clone, and may name any folder.
func TestServe_RefusesDocumentsElsewhere(t *testing.T) {
	t.Parallel()
	environment, _ := services(t)
	outside := newProject(t, map[string]string{"secret.md": "# Secret\n"})
	for folder, want := range map[string]string{
		outside: "is an absolute path", "../x": "leads out of the repository", ".git": "is hidden", "linked": "leads out of the repository",
		"README.md": "is not a folder", ".": "is the repository itself",
	} {
		root := newProject(t, map[string]string{
			configPath: `{"project_name": "test-project", "documents": {"folder": "` + folder + `", "lenient": true}}`, "README.md": "# A\n",
		})
		must(t, os.Symlink(outside, filepath.Join(root, "linked")))
		var failed toolError
		if !call(t, openWindow(t, environment...).session, "activate_project", activation(root), &failed) || !strings.Contains(failed.Message, want) {
			t.Errorf("%s: %+v, want that it %s", folder, failed, want)
		}
	}
}
