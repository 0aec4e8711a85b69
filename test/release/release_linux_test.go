package release_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/compound-docs/compound-docs/test/testenv"
)

func TestMain(m *testing.M) {
	code := testenv.Main(m)
	_, _ = os.RemoveAll(thisSystem.folder), os.RemoveAll(bundled.folder)
	os.Exit(code)
}

const repository = "../.."

// goReleaser returns the program that make goreleaser builds, or skips the test.
func goReleaser(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(repository, "bin", "goreleaser-*"))
	if err != nil || len(found) == 0 {
		t.Skip("no GoReleaser is in bin/: make goreleaser builds it, in minutes")
	}
	program, err := filepath.Abs(found[len(found)-1])
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// build has GoReleaser build a release into a folder below bin/, after each pair of texts was
// replaced in its configuration.
func build(program string, replace ...string) (folder string, err error) {
	folder, err = os.MkdirTemp(filepath.Dir(program), "release-")
	if err != nil {
		return "", err
	}
	inside := "bin/" + filepath.Base(folder) // GoReleaser takes paths below the repository only
	configuration := filepath.Join(folder, "goreleaser.yaml")
	text, err := os.ReadFile(filepath.Join(repository, ".goreleaser.yaml"))
	if err == nil {
		replace = append(replace, "./dist/", "./"+inside+"/dist/", "project_name:", "dist: "+inside+"/dist\nproject_name:")
		err = os.WriteFile(configuration, []byte(strings.NewReplacer(replace...).Replace(string(text))), 0o600)
	}
	if err != nil {
		return folder, err
	}
	release := exec.Command(program, "release", "--snapshot", "--config", configuration,
		"--skip=sbom", "--skip=sign", "--skip=docker")
	release.Dir = repository
	if output, err := release.CombinedOutput(); err != nil {
		return folder, fmt.Errorf("GoReleaser: %w\n%s", err, output)
	}
	return folder, nil
}

// one returns the one file that a pattern finds in a folder.
func one(t *testing.T, folder, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s has %v for %s, want one file", folder, found, pattern)
	}
	return found[0]
}

// Everything that a release has is built, and is among the checksums, which are signed.
func TestRelease_BuildsAll(t *testing.T) {
	t.Parallel()
	program := goReleaser(t)
	testenv.Slow(t, "a release for six systems")
	folder, err := build(program)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	if err != nil {
		t.Fatal(err)
	}
	folder = filepath.Join(folder, "dist")
	sums := string(readFile(t, filepath.Join(folder, "checksums.txt")))
	version := releaseVersion(t, folder)
	want := []string{"compound-docs-" + version + ".tgz"}
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, arch := range []string{"amd64", "arm64"} {
			endings := map[string][]string{
				"linux": {"tar.gz", "deb", "rpm", "apk", "mcpb"}, "darwin": {"tar.gz", "mcpb"}, "windows": {"zip", "mcpb"},
			}[system]
			for _, ending := range endings {
				want = append(want, fmt.Sprintf("compound-docs_%s_%s_%s.%s", version, system, arch, ending))
			}
			node := strings.NewReplacer("windows", "win32", "amd64", "x64").Replace(system + "-" + arch)
			want = append(want, "compound-docs-"+node+"-"+version+".tgz")
		}
	}
	for _, name := range want {
		if !strings.Contains(sums, "  "+name+"\n") {
			t.Errorf("the checksums lack %s", name)
		}
	}
	if n := strings.Count(sums, "\n"); n != len(want) {
		t.Errorf("there are %d checksums for %d files:\n%s", n, len(want), sums)
	}
	formula := string(readFile(t, filepath.Join(folder, "homebrew", "Formula", "compound-docs.rb")))
	archives := regexp.MustCompile(`url ".*/(.*)"\s+sha256 "(.*)"`).FindAllStringSubmatch(formula, -1)
	for _, archive := range archives {
		if !strings.Contains(sums, archive[2]+"  "+archive[1]+"\n") {
			t.Errorf("the formula has %s for %s, and the checksums another", archive[2], archive[1])
		}
	}
	if len(archives) != 4 || !strings.Contains(formula, `libexec.install "compound-docs", "postgresql"`) {
		t.Errorf("the formula is\n%s", formula)
	}
}

// releaseVersion returns the version that GoReleaser has given a release.
func releaseVersion(t *testing.T, folder string) string {
	t.Helper()
	var metadata struct {
		Version string `json:"version"`
	}
	if err := json.Unmarshal(readFile(t, filepath.Join(folder, "metadata.json")), &metadata); err != nil {
		t.Fatal(err)
	}
	return metadata.Version
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// thisSystem is what a release has for the system of the tests.
//
//nolint:gochecknoglobals // built once for all tests
var thisSystem struct {
	sync.Once

	folder string
	err    error
}

// forThisSystem returns the folder of what a release has for this system.
func forThisSystem(t *testing.T) (folder string) {
	t.Helper()
	program := goReleaser(t)
	thisSystem.Do(func() {
		thisSystem.folder, thisSystem.err = build(program,
			"goos: [linux, darwin]", "goos: [linux]", "goarch: [amd64, arm64]", "goarch: ["+runtime.GOARCH+"]",
			"hooks: [make licenses, make postgresql]", "hooks: [touch NOTICES.txt, make postgresql]")
	})
	if thisSystem.err != nil {
		t.Fatal(thisSystem.err)
	}
	return filepath.Join(thisSystem.folder, "dist")
}

// bundled is what test/release/bundle makes for this system.
//
//nolint:gochecknoglobals // built once for all tests
var bundled struct {
	sync.Once

	folder string
	err    error
}

const bundledVersion = "0.0.1-test"

// bundles returns the folder of the npm packages and the MCPB bundle. They need no GoReleaser.
func bundles(t *testing.T) (folder string) {
	t.Helper()
	bundled.Do(func() {
		if bundled.folder, bundled.err = os.MkdirTemp("", "cdocs-bundles-"); bundled.err != nil { //nolint:usetesting // tests share it
			return
		}
		program := filepath.Join(bundled.folder, "compound-docs")
		for _, arguments := range [][]string{
			{"build", "-trimpath", "-ldflags=-s -w -X main.version=v" + bundledVersion, "-o", program, "./cmd/server"},
			{
				"run", "./test/release/bundle", "-version", bundledVersion, "-os", runtime.GOOS, "-arch", runtime.GOARCH,
				"-program", program, "-to", bundled.folder,
			},
		} {
			command := exec.Command("go", arguments...)
			command.Dir, command.Env = repository, append(os.Environ(), "CGO_ENABLED=0")
			if output, err := command.CombinedOutput(); err != nil {
				bundled.err = fmt.Errorf("go %s: %w\n%s", arguments[0], err, output)
				return
			}
		}
	})
	if bundled.err != nil {
		t.Fatal(bundled.err)
	}
	return bundled.folder
}
