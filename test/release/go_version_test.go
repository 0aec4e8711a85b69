package release_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// An old Go fails to read go.mod with a message that helps nobody.
func TestMakefile_SaysWhichGoItNeeds(t *testing.T) {
	t.Parallel()
	needed := string(regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(read(t, "go.mod"))[1])
	for _, page := range []string{"README.md", "CONTRIBUTING.md"} {
		if !strings.Contains(string(read(t, page)), "Go "+needed+" or newer") {
			t.Errorf("%s does not say that Go %s or newer is needed", page, needed)
		}
	}
	for name, test := range map[string]struct{ printed, want string }{
		"missing":       {"", "and this machine has none."},
		"of Debian 12":  {"go version go1.19.8 linux/amd64", "and this machine has 1.19.8."},
		"one older":     {"go version go1.9.7 linux/amd64", "and this machine has 1.9.7."},
		"the oldest":    {"go version go" + needed + " linux/amd64", ""},
		"newer":         {"go version go" + needed + ".3 linux/amd64", ""},
		"much newer":    {"go version go2.0 darwin/arm64", ""},
		"in the making": {"go version go1.99-devel_0123abcd Mon Nov 2 12:00:00 2026 +0000 linux/amd64", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command := exec.CommandContext(t.Context(), "make", "-n", "install")
			command.Dir = filepath.Join("..", "..")
			command.Env = append(os.Environ(), "PATH="+programs(t, test.printed), "MAKEFLAGS=")
			output, err := command.CombinedOutput()
			switch said := string(output); {
			case test.want == "" && err != nil:
				t.Errorf("make fails: %v\n%s", err, said)
			case test.want != "" && (err == nil || !strings.Contains(said, "compound-docs needs Go "+needed+" or newer, "+test.want)):
				t.Errorf("make ends with %v and says:\n%s", err, said)
			}
		})
	}
}

// programs returns a folder with what make runs, and a go that prints a version, or none.
func programs(t *testing.T, version string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for _, name := range []string{"make", "sh", "sed", "sort", "git"} {
		path, err := exec.LookPath(name)
		if err == nil {
			err = os.Symlink(path, filepath.Join(folder, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if version != "" {
		script := "#!/bin/sh\necho " + version + "\n"
		if err := os.WriteFile(filepath.Join(folder, "go"), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}
