package lint_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

const module = "github.com/compound-docs/compound-docs"

// rule is one of depguard.
type rule struct {
	Files []string `yaml:"files"`
	Deny  []struct {
		Pkg string `yaml:"pkg"`
	} `yaml:"deny"`
}

// denies reports whether the rule closes its packages to a folder of the module.
func (r rule) denies(folder string) bool {
	for _, deny := range r.Deny {
		if deny.Pkg == folder {
			return true
		}
	}
	return false
}

func readRules(t *testing.T) map[string]rule {
	t.Helper()
	content, err := os.ReadFile("../../.golangci.yml")
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Linters struct {
			Settings struct {
				Depguard struct {
					Rules map[string]rule `yaml:"rules"`
				} `yaml:"depguard"`
			} `yaml:"settings"`
		} `yaml:"linters"`
	}
	if err := yaml.Unmarshal(content, &config); err != nil {
		t.Fatal(err)
	}
	return config.Linters.Settings.Depguard.Rules
}

// productFolders returns the folders with Go files outside test/.
func productFolders(t *testing.T) []string {
	t.Helper()
	var folders []string
	err := fs.WalkDir(os.DirFS("../.."), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := len(name) > 1 && strings.HasPrefix(path.Base(name), ".")
		if entry.IsDir() && (hidden || name == "test" || path.Base(name) == "testdata") {
			return fs.SkipDir
		}
		if dir := path.Dir(name); strings.HasSuffix(name, ".go") && !slices.Contains(folders, dir) {
			folders = append(folders, dir)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return folders
}

// Each package of the product has a rule that closes it to the rest of the module, except cmd/server,
// which composes the others. Each rule is of a package that exists.
func TestImports_EachPackageHasARule(t *testing.T) {
	t.Parallel()
	var ruled []string
	for _, r := range readRules(t) {
		for _, file := range r.Files {
			folder, ok := strings.CutPrefix(filepath.ToSlash(path.Dir(file)), "${config-path}/")
			if ok && r.denies(module) {
				ruled = append(ruled, folder)
			}
		}
	}
	folders := productFolders(t)
	for _, folder := range folders {
		if folder != "cmd/server" && !slices.Contains(ruled, folder) {
			t.Errorf("%s has no rule of depguard in .golangci.yml that denies %s", folder, module)
		}
	}
	for _, folder := range ruled {
		if !slices.Contains(folders, folder) {
			t.Errorf("a rule of depguard is about %s, which has no Go file", folder)
		}
	}
}

// Nothing outside test/ imports test/, except tests.
func TestImports_TheHarnessIsForTests(t *testing.T) {
	t.Parallel()
	harness := readRules(t)["harness"]
	if !harness.denies(module+"/test") || !slices.Equal(harness.Files, []string{"$all", "!$test", "!${config-path}/test/**/*.go"}) {
		t.Errorf("the rule %q is %+v", "harness", harness)
	}
}
