// Package release_test checks that the files of a release agree with each other, and the
// workflows that make it.
package release_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// registryEntry is the part of server.json that has to agree with other files.
type registryEntry struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Version     string `json:"version"`
	Repository  struct {
		URL string `json:"url"`
	} `json:"repository"`
	Packages []struct {
		RegistryType     string `json:"registryType"` //nolint:tagliatelle // the registry's name
		Identifier       string `json:"identifier"`
		Version          string `json:"version"`
		PackageArguments []struct {
			Value string `json:"value"`
		} `json:"packageArguments"` //nolint:tagliatelle // the registry's name
		EnvironmentVariables []struct {
			Name string `json:"name"`
		} `json:"environmentVariables"` //nolint:tagliatelle // the registry's name
		Transport struct {
			Type string `json:"type"`
		} `json:"transport"`
	} `json:"packages"`
}

func TestServerJSON_AgreesWithTheRelease(t *testing.T) {
	t.Parallel()
	const maxDescription = 100 // the registry's limit
	var entry registryEntry
	if err := json.Unmarshal(read(t, "server.json"), &entry); err != nil {
		t.Fatal(err)
	}
	if n := utf8.RuneCountInString(entry.Description); n == 0 || n > maxDescription {
		t.Errorf("the description has %d characters, want 1 to %d", n, maxDescription)
	}
	if module := "module " + strings.TrimPrefix(entry.Repository.URL, "https://") + "\n"; !bytes.HasPrefix(read(t, "go.mod"), []byte(module)) {
		t.Errorf("go.mod does not begin with %q", module)
	}
	if label := `io.modelcontextprotocol.server.name="` + entry.Name + `"`; !strings.Contains(string(read(t, "deploy/server/Dockerfile")), label) {
		t.Errorf("the image has no label %s", label)
	}
	if len(entry.Packages) != 2 {
		t.Fatalf("packages are %+v, want the image and that of npm", entry.Packages)
	}
	image, npm := entry.Packages[0], entry.Packages[1]
	name, tag, _ := strings.Cut(image.Identifier, ":")
	if image.RegistryType != "oci" || tag != entry.Version || !slices.Contains(releasedImages(t), name) {
		t.Errorf("the package is %s %s; want version %s of %v", image.RegistryType, image.Identifier, entry.Version, releasedImages(t))
	}
	var manifest struct {
		Name    string `json:"name"`
		MCPName string `json:"mcpName"` //nolint:tagliatelle // the registry compares it with the entry's name
	}
	if err := json.Unmarshal(read(t, "deploy/npm/package.json"), &manifest); err != nil {
		t.Fatal(err)
	}
	if npm.RegistryType != "npm" || npm.Identifier != manifest.Name || npm.Version != entry.Version || manifest.MCPName != entry.Name {
		t.Errorf("the package is %s %s %s; want version %s of %+v", npm.RegistryType, npm.Identifier, npm.Version, entry.Version, manifest)
	}
	configuration := string(read(t, "docs/configuration.md"))
	for _, kind := range entry.Packages {
		if kind.Transport.Type != "stdio" || len(kind.PackageArguments) == 0 || kind.PackageArguments[0].Value != "serve" {
			t.Errorf("%s is run as %+v over %s, want serve over stdio", kind.Identifier, kind.PackageArguments, kind.Transport.Type)
		}
		for _, variable := range kind.EnvironmentVariables {
			if !strings.Contains(configuration, "`"+variable.Name+"`") {
				t.Errorf("docs/configuration.md knows no %s", variable.Name)
			}
		}
	}
	if changes := string(read(t, "CHANGELOG.md")); !strings.Contains(changes, "\n## ["+entry.Version+"]") &&
		!strings.Contains(changes, "\n## [Unreleased] - "+entry.Version+"\n") {
		t.Errorf("CHANGELOG.md has no section of version %s", entry.Version)
	}
}

// releasedImages returns the images that GoReleaser pushes.
func releasedImages(t *testing.T) (images []string) {
	t.Helper()
	var config struct {
		Dockers []struct {
			Images []string `yaml:"images"`
		} `yaml:"dockers_v2"`
	}
	if err := yaml.Load(read(t, ".goreleaser.yaml"), &config); err != nil {
		t.Fatal(err)
	}
	for _, docker := range config.Dockers {
		images = append(images, docker.Images...)
	}
	return images
}

// Anyone can move the tag of an action to other code, but not a commit. Each job gets only the
// permissions it needs.
func TestWorkflows_PinActionsAndPermissions(t *testing.T) {
	t.Parallel()
	folder := filepath.Join("..", "..", ".github", "workflows")
	files, err := os.ReadDir(folder)
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	pinned := regexp.MustCompile(`^[\w./-]+@[0-9a-f]{40}$`)
	for _, file := range files {
		var workflow struct {
			Permissions map[string]string `yaml:"permissions"`
			Jobs        map[string]struct {
				Steps []struct {
					Uses string `yaml:"uses"`
				} `yaml:"steps"`
			} `yaml:"jobs"`
		}
		if err := yaml.Load(read(t, ".github/workflows/"+file.Name()), &workflow); err != nil {
			t.Fatal(err)
		}
		delete(workflow.Permissions, "contents")
		if workflow.Permissions == nil || len(workflow.Permissions) > 0 {
			t.Errorf("%s gives all of its jobs %v; give a job what it needs", file.Name(), workflow.Permissions)
		}
		for name, job := range workflow.Jobs {
			for _, step := range job.Steps {
				if step.Uses != "" && !pinned.MatchString(step.Uses) {
					t.Errorf("%s: the job %s uses %s; name a commit", file.Name(), name, step.Uses)
				}
			}
		}
	}
}

// The workflow signs all files of a release, made as people try it.
func TestRelease_IsSigned(t *testing.T) {
	t.Parallel()
	workflow, contributing := string(read(t, ".github/workflows/release.yml")), string(read(t, "CONTRIBUTING.md"))
	if !strings.Contains(workflow, "run: make release\n") || !strings.Contains(contributing, "make release SNAPSHOT=1\n") {
		t.Error("the workflow does not run make release, or CONTRIBUTING.md does not have people try it")
	}
	for _, subjects := range []string{"subject-checksums: dist/checksums.txt", "subject-checksums: dist/digests.txt"} {
		if !strings.Contains(workflow, subjects) {
			t.Errorf("the workflow attests no %s", subjects)
		}
	}
	var config struct {
		Signs []struct {
			Cmd, Artifacts string
		} `yaml:"signs"`
		DockerSigns []struct {
			Cmd, Artifacts string
		} `yaml:"docker_signs"`
	}
	if err := yaml.Load(read(t, ".goreleaser.yaml"), &config); err != nil {
		t.Fatal(err)
	}
	if len(config.Signs) != 1 || config.Signs[0].Artifacts != "checksum" || len(config.DockerSigns) != 1 {
		t.Errorf("GoReleaser signs %+v, want the checksums and the image", config)
	}
}

// read returns a file of the repository.
func read(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return content
}
