package release_test

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/test/postgres"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// If npx cannot put the program into the home, it says why, and runs the one in its cache.
func TestNPM_KeepsNothingInAHomeThatIsNoFolder(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("Node.js is not on this machine")
	}
	cache := filepath.Join(t.TempDir(), "_npx", "node_modules")
	program := filepath.Join(cache, "@compound-docs", map[string]string{"amd64": "linux-x64", "arm64": "linux-arm64"}[runtime.GOARCH], "bin", "compound-docs")
	script, err := os.ReadFile(filepath.Join("..", "..", "deploy", "npm", "compound-docs.js"))
	wrapper := filepath.Join(cache, "compound-docs", "compound-docs.js")
	err = errors.Join(err, os.MkdirAll(filepath.Dir(program), 0o700), os.MkdirAll(filepath.Dir(wrapper), 0o700),
		os.WriteFile(program, []byte("#!/bin/sh\necho runs $@\n"), 0o700), os.WriteFile(wrapper, script, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "node", wrapper, "init")
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/dev/null"}
	said, err := command.CombinedOutput()
	if err != nil || !strings.Contains(string(said), "the program cannot be put into /dev/null/.local/bin: ") || !strings.HasSuffix(string(said), "runs init\n") {
		t.Errorf("npx says %s, %v", said, err)
	}
}

// npmRegistry is one on this machine that has the packages of a folder.
func npmRegistry(t *testing.T, folder string) (address string) {
	t.Helper()
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.ReplaceAll(strings.Trim(r.URL.Path, "/@"), "/", "-")
		file := filepath.Join(folder, filepath.Base(name))
		if strings.HasSuffix(name, ".tgz") {
			http.ServeFile(w, r, file)
			return
		}
		found, _ := filepath.Glob(file + "-[0-9]*.tgz") // a pattern that is valid
		if len(found) != 1 {
			http.NotFound(w, r) // the package of another system
			return
		}
		manifest := manifestOf(t, found[0])
		version, _ := manifest["version"].(string)
		manifest["dist"] = map[string]string{"tarball": server.URL + "/" + filepath.Base(found[0])}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"name": manifest["name"], "dist-tags": map[string]string{"latest": version}, "versions": map[string]any{version: manifest},
		})
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// manifestOf returns the package.json of an npm package.
func manifestOf(t *testing.T, file string) (manifest map[string]any) {
	t.Helper()
	text, err := exec.CommandContext(t.Context(), "tar", "-xzOf", file, "package/package.json").Output()
	if err == nil {
		err = json.Unmarshal(text, &manifest)
	}
	if err != nil {
		t.Error(err)
	}
	return manifest
}

// mcpbManifest is the part of a bundle's manifest that a client acts on.
type mcpbManifest struct {
	ManifestVersion string            `json:"manifest_version"`
	Version         string            `json:"version"`
	Author          map[string]string `json:"author"`
	LongDescription string            `json:"long_description"`
	Icon            string            `json:"icon"`
	Server          struct {
		Type       string `json:"type"`
		EntryPoint string `json:"entry_point"`
		Config     struct {
			Command string            `json:"command"`
			Args    []string          `json:"args"`
			Env     map[string]string `json:"env"`
		} `json:"mcp_config"`
	} `json:"server"`
	Compatibility struct {
		Platforms []string `json:"platforms"`
	} `json:"compatibility"`
}

// A client starts the server of a bundle as its manifest says.
func TestBundle_StartsAsItsManifestSays(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "a release for six systems")
	folder := bundles(t)
	installed := t.TempDir()
	bundle, err := zip.OpenReader(one(t, folder, "*.mcpb"))
	if err == nil {
		defer func() { _ = bundle.Close() }()
		err = os.CopyFS(installed, bundle)
	}
	if err != nil {
		t.Fatal(err)
	}
	var manifest mcpbManifest
	if err := json.Unmarshal(readFile(t, filepath.Join(installed, "manifest.json")), &manifest); err != nil {
		t.Fatal(err)
	}
	server := manifest.Server
	if manifest.ManifestVersion != "0.3" || manifest.Version != bundledVersion || server.Type != "binary" ||
		manifest.Author["name"] == "" || !slices.Equal(manifest.Compatibility.Platforms, []string{"linux"}) {
		t.Errorf("the manifest is %+v", manifest)
	}
	for _, file := range []string{manifest.Icon, server.EntryPoint, "server/postgresql/" + postgres.Bin + "/postgres"} {
		if _, err := os.Stat(filepath.Join(installed, file)); err != nil {
			t.Error(err)
		}
	}
	if remedy := server.EntryPoint + " init"; !strings.Contains(manifest.LongDescription, remedy) {
		t.Errorf("the bundle does not say how to run %s: %s", remedy, manifest.LongDescription)
	}
	project := filepath.Join(installed, "project")
	if err := os.CopyFS(project, os.DirFS(filepath.Join(repository, "examples", "demo-project"))); err != nil {
		t.Fatal(err)
	}
	fill := strings.NewReplacer("${__dirname}", installed, "${user_config.repository}", project,
		"${user_config.database_url}", testenv.DatabaseURL(t)).Replace
	program := fill(server.Config.Command)
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	var arguments []string
	for _, argument := range server.Config.Args {
		arguments = append(arguments, fill(argument))
	}
	command := exec.Command(program, arguments...)
	command.Env = []string{"HOME=" + t.TempDir(), "CDOCS_OLLAMA_HOST=http://127.0.0.1:9"}
	for name, value := range server.Config.Env {
		command.Env = append(command.Env, name+"="+fill(value))
	}
	listTools(t, command)
}

// The image has the program alone, which answers over stdio.
func TestImage_AnswersOverStdio(t *testing.T) {
	t.Parallel()
	if err := exec.CommandContext(t.Context(), "docker", "info").Run(); err != nil {
		t.Skip("no Docker engine answers:", err)
	}
	platform, inside := "linux/"+runtime.GOARCH, t.TempDir()
	err := os.MkdirAll(filepath.Join(inside, platform), 0o750)
	if err == nil {
		err = os.Link(filepath.Join(bundles(t), "compound-docs"), filepath.Join(inside, platform, "compound-docs"))
	}
	if err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "docker", "build", "--quiet", "--build-arg", "TARGETPLATFORM="+platform,
		"--file", filepath.Join(repository, "deploy", "server", "Dockerfile"), inside)
	image, err := build.Output()
	if err != nil {
		t.Fatal("docker build:", err)
	}
	name := strings.TrimSpace(string(image))
	t.Cleanup(func() { _ = exec.CommandContext(context.Background(), "docker", "rmi", name).Run() })
	listTools(t, exec.Command("docker", "run", "--rm", "--interactive", "--network=none", name))
}
