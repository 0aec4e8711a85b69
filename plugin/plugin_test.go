package plugin

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/tools"
)

// The skill capture has a template for each built-in doc-type. It is a valid document and names
// all values of each enumeration. The skill names the folder of the doc-type.
func TestTemplates(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	config := filepath.Join(root, project.ConfigDir, project.ConfigFile)
	if err := os.MkdirAll(filepath.Dir(config), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte(`{"project_name": "any"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := project.Load(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, docType := range p.DocTypes() {
		t.Run(docType.Name, func(t *testing.T) {
			t.Parallel()
			template := read(t, "capture", docType.Name+".md")
			doc, err := markdown.Parse([]byte(template))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]project.Violation{}, docType.Validate(doc.FrontMatter)); diff != "" {
				t.Errorf("the template is no valid document (-want +got):\n%s", diff)
			}
			for name, values := range enums(t, docType.Name) {
				if _, used := doc.FrontMatter[name]; used && len(values) > 0 && !strings.Contains(template, "# "+strings.Join(values, ", ")+"\n") {
					t.Errorf("the template does not say that %s is one of %v", name, values)
				}
			}
			skill := read(t, "capture", "SKILL.md")
			row := regexp.MustCompile(fmt.Sprintf("(?m)^ *\\| `%s` \\|.*\\| `%s` \\|", docType.Name, docType.Folder))
			if !row.MatchString(skill) || !strings.Contains(skill, "`"+project.DocsFolder+"/{folder}/{title}-{YYYYMMDD}.md`") {
				t.Errorf("the skill does not say that a %s is in the folder %s", docType.Name, docType.Folder)
			}
		})
	}
}

// enums returns the values of the fields of a built-in doc-type that have a list of them.
func enums(t *testing.T, docType string) map[string][]string {
	t.Helper()
	content, err := os.ReadFile("../internal/project/schemas/" + docType + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties map[string]struct {
			Enum []string `json:"enum"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(content, &schema); err != nil {
		t.Fatal(err)
	}
	values := map[string][]string{}
	for name, property := range schema.Properties {
		values[name] = property.Enum
	}
	return values
}

// Claude Code updates the plugin when its version changes.
func TestVersion_IsTheReleases(t *testing.T) {
	t.Parallel()
	var versions []string
	for _, path := range []string{".claude-plugin/plugin.json", "../server.json"} {
		var manifest struct {
			Version string `json:"version"`
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(content, &manifest); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		versions = append(versions, manifest.Version)
	}
	if versions[0] != versions[1] || versions[0] == "" {
		t.Errorf("the plugin has version %q, the release %q", versions[0], versions[1])
	}
}

var call = regexp.MustCompile("[Cc]all `([a-z_]+)`")

// Every tool that a skill calls is there, and every tool for people has a skill.
func TestSkills_CallTools(t *testing.T) {
	t.Parallel()
	unused := map[string]bool{}
	for _, group := range tools.Groups() {
		for _, tool := range group.Tools {
			unused[tool.Name] = true
		}
	}
	known := maps.Clone(unused)
	skills, err := os.ReadDir("skills")
	if err != nil {
		t.Fatal(err)
	}
	for _, skill := range skills {
		for _, found := range call.FindAllStringSubmatch(read(t, skill.Name(), "SKILL.md"), -1) {
			if !known[found[1]] {
				t.Errorf("%s calls %s, which is no tool", skill.Name(), found[1])
			}
			delete(unused, found[1])
		}
	}
	if diff := cmp.Diff([]string{"ping", "recall", "search_handbook"}, slices.Sorted(maps.Keys(unused))); diff != "" {
		t.Errorf("tools that no skill calls (-want +got):\n%s", diff)
	}
}

func read(t *testing.T, skill, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("skills", skill, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// The plugin starts the program wherever it is installed, and never itself or a program of the
// repository. Without it, one line says what to do.
func TestProgram_IsFound(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the script is for a Unix shell")
	}
	bin, err := filepath.Abs("bin")
	if err != nil {
		t.Fatal(err)
	}
	type place struct {
		installed string // folder below the home
		path      string // below the home
		want      string
	}
	tests := map[string]place{
		"on the PATH":       {"a folder", "a folder", "started with serve --project a b\n"},
		"go install":        {"go/bin", "none", "started with serve --project a b\n"},
		"user's programs":   {".local/bin", "none", "started with serve --project a b\n"},
		"nowhere":           {"elsewhere", "none", "compound-docs is not installed: see https://github.com/compound-docs/compound-docs#start, then reconnect it with /mcp\n"},
		"a folder, no file": {"elsewhere", "folder", "compound-docs is not installed: see https://github.com/compound-docs/compound-docs#start, then reconnect it with /mcp\n"},
	}
	for _, folder := range []string{
		// Where installers put programs. Those of the second line were put aside while the script was written.
		".nvm/versions/node/v20.1.0/bin", ".volta/bin", ".local/share/mise/shims", ".bun/bin", "own/bin", ".local/share/mise/installs/node/22/bin",
		".config/nvm/versions/node/v18.0.0/bin", ".local/share/pnpm", ".asdf/shims", ".local/share/fnm/node-versions/v22.3.0/installation/bin", "n/bin", ".npm-global/bin",
	} {
		tests[folder] = place{folder, "none", "started with serve --project a b\n"}
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			if err := os.MkdirAll(filepath.Join(home, "folder", "compound-docs"), 0o700); err != nil {
				t.Fatal(err)
			}
			install := func(folder, says string) {
				if err := os.MkdirAll(folder, 0o700); err != nil {
					t.Fatal(err)
				}
				program := "#!/bin/sh\necho \"" + says + " with $*\"\n"
				if err := os.WriteFile(filepath.Join(folder, "compound-docs"), []byte(program), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			install(filepath.Join(home, test.installed), "started")
			npmrc := "registry=https://registry.example.org\nprefix = ${HOME}/own\n"
			if err := os.WriteFile(filepath.Join(home, ".npmrc"), []byte(npmrc), 0o600); err != nil {
				t.Fatal(err)
			}
			repository := filepath.Join(home, "repository")
			install(repository, "hostile")
			install(filepath.Join(repository, "bin"), "hostile")
			// The plugin's own folder is on the PATH too, where Claude Code puts it.
			command := exec.CommandContext(t.Context(), filepath.Join(bin, "compound-docs"), "serve", "--project", "a b")
			command.Dir = repository
			command.Env = []string{"HOME=" + home, "PATH=.:bin::" + bin + ":" + filepath.Join(home, test.path)}
			output, _ := command.CombinedOutput() // it fails where nothing is installed
			if string(output) != test.want {
				t.Errorf("it says %q, want %q", output, test.want)
			}
		})
	}
}

// The program of npm starts node, which is beside it and not on the PATH.
func TestProgram_FindsNodeBesideIt(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the script is for a Unix shell")
	}
	home := t.TempDir()
	folder := filepath.Join(home, ".nvm/versions/node/v22.3.0/bin")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"compound-docs": "#!/bin/sh\nexec node \"$@\"\n", "node": "#!/bin/sh\necho \"node with $*\"\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.CommandContext(t.Context(), "bin/compound-docs", "serve")
	command.Env = []string{"HOME=" + home, "PATH=/nowhere"}
	output, err := command.CombinedOutput()
	if string(output) != "node with serve\n" {
		t.Errorf("%v: it says %q", err, output)
	}
}
