package release_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/test/mcpclient"
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
	if len(archives) != 4 || !strings.Contains(formula, `depends_on "pgvector"`) {
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
			"goos: [linux, darwin, windows]", "goos: [linux]", "goarch: [amd64, arm64]", "goarch: ["+runtime.GOARCH+"]",
			"hooks: [make licenses]", "hooks: [touch NOTICES.txt]")
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

// bareRoot is the root of a system that has nothing but what a package brings.
type bareRoot struct {
	folder  string
	program string // path inside
	uid     int
	home    string // path inside
	env     []string
}

// command is the program inside, as the user.
func (r *bareRoot) command(arguments ...string) *exec.Cmd {
	command := exec.Command(r.program, arguments...)
	command.Dir, command.Env = r.home+"/project", append([]string{"HOME=" + r.home, "PATH=/usr/bin:/usr/local/bin"}, r.env...)
	command.SysProcAttr = &syscall.SysProcAttr{Chroot: r.folder}
	if os.Geteuid() == 0 {
		command.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(r.uid), Gid: uint32(r.uid)}
		return command
	}
	command.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
	command.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: r.uid, HostID: os.Getuid(), Size: 1}}
	command.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: r.uid, HostID: os.Getgid(), Size: 1}}
	return command
}

// run runs the program inside, which must succeed.
func (r *bareRoot) run(t *testing.T, arguments ...string) string {
	t.Helper()
	command := r.command(arguments...)
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	err := command.Run()
	if errors.Is(err, syscall.EPERM) {
		t.Skip("no namespaces may be made here:", err)
	}
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", r.program, strings.Join(arguments, " "), err, &output)
	}
	return output.String()
}

// installer puts a package into a bare root.
type installer struct {
	file    string // pattern in dist/
	needs   string // a program of the system
	script  string // for a shell, with $root and $file
	program string // path inside
}

var installers = map[string]installer{
	"archive": {
		"*.tar.gz", "tar", `mkdir -p "$root/usr/local/bin" && tar -xzf "$file" -C "$root/usr/local/bin" compound-docs`,
		"/usr/local/bin/compound-docs",
	},
	"deb": {
		"*.deb", "dpkg", `mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" && touch "$root/var/lib/dpkg/status" &&
		dpkg --root="$root" --force-not-root --log=/dev/null -i "$file" && dpkg --root="$root" -s compound-docs | grep -q "^Status: install ok"`,
		"/usr/bin/compound-docs",
	},
	"rpm": {
		"*.rpm", "rpm", `rpm --root "$root" --initdb && rpm --root "$root" --nosignature -i "$file" && rpm --root "$root" -V compound-docs`,
		"/usr/bin/compound-docs",
	},
	// An apk is archives behind each other: who wrote it, what it is, and its files.
	"apk": {
		"*.apk", "tar", `tar -xzf "$file" -C "$root" --ignore-zeros && grep -qx "pkgname = compound-docs" "$root/.PKGINFO"`,
		"/usr/bin/compound-docs",
	},
}

// A package brings all that the program needs but the database: it runs in a root without a
// shell, libraries and git, as root and as a user who may not become root.
func TestPackages_WorkInABareRoot(t *testing.T) {
	t.Parallel()
	folder := forThisSystem(t)
	version := releaseVersion(t, folder)
	for name, with := range installers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			root := with.install(t, folder)
			for user, uid := range map[string]int{"root": 0, "person": 1000} {
				r := &bareRoot{folder: root, program: with.program, uid: uid, home: "/home/" + user}
				r.prepare(t)
				if said := r.run(t, "version"); !strings.Contains(said, "v"+version) {
					t.Errorf("%s: version prints %s, want %s", user, said, version)
				}
				r.run(t, "lint")
				if said := r.run(t, "search", "connection", "pool", "exhausted"); !strings.Contains(said, "db-pool-exhaustion") {
					t.Errorf("%s: search prints %s", user, said)
				}
				r.list(t)
			}
			if took := time.Since(began); took > time.Minute {
				t.Errorf("from the installation to the results it takes %s", took)
			}
		})
	}
}

// install installs a package of dist/ into a new root.
func (i installer) install(t *testing.T, dist string) (root string) {
	t.Helper()
	if _, err := exec.LookPath(i.needs); err != nil {
		t.Skipf("%s is not on this machine", i.needs)
	}
	root, err := os.MkdirTemp("", "cdocs-release-") //nolint:usetesting // another user must be able to enter it
	if err == nil {
		err = os.Chmod(root, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	shell := exec.CommandContext(t.Context(), "sh", "-ec", i.script)
	shell.Env = append(os.Environ(), "root="+root, "file="+one(t, dist, i.file), "PATH="+os.Getenv("PATH")+":/usr/sbin:/sbin")
	if output, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("install %s: %v\n%s", i.file, err, output)
	}
	return root
}

// prepare gives the user a home with the demo project, a folder for temporary files, and a
// database, which is reached over TCP as another machine's would be.
func (r *bareRoot) prepare(t *testing.T) {
	t.Helper()
	relay, databaseURL, err := testenv.StartDatabaseRelay(testenv.DatabaseURL(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(relay.Close)
	r.env = []string{"CDOCS_DATABASE_URL=" + databaseURL, "CDOCS_OLLAMA_HOST=http://127.0.0.1:9"}
	home := filepath.Join(r.folder, r.home)
	err = errors.Join(os.MkdirAll(filepath.Join(r.folder, "tmp"), 0o777), os.MkdirAll(home, 0o755),
		os.CopyFS(filepath.Join(home, "project"), os.DirFS(filepath.Join(repository, "examples", "demo-project"))))
	if err == nil && os.Geteuid() == 0 {
		err = filepath.WalkDir(home, func(path string, _ os.DirEntry, err error) error {
			return errors.Join(err, os.Lchown(path, r.uid, r.uid))
		})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// list asks a server over stdio for its tools.
func (r *bareRoot) list(t *testing.T) {
	t.Helper()
	listTools(t, r.command("serve"))
}

func listTools(t *testing.T, command *exec.Cmd) {
	t.Helper()
	client, err := mcpclient.Start(t.Context(), command)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := client.ListTools(t.Context(), nil)
	if err = errors.Join(err, client.Close()); err != nil || len(tools.Tools) < 10 {
		t.Errorf("tools/list answers %+v, %v", tools, err)
	}
}

// asUser has a command run as another user than root, if root runs the tests.
func asUser(command *exec.Cmd, uid int) {
	if os.Geteuid() == 0 {
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	}
}

// The line for npx works in a home without anything: npm chooses the package of this system,
// and assistants are told of a program that outlives npm's cache.
func TestNPM_RunsByName(t *testing.T) {
	t.Parallel()
	folder := bundles(t)
	if _, err := exec.LookPath("npx"); err != nil {
		t.Skip("npx is not on this machine")
	}
	registry := npmRegistry(t, folder)
	for user, uid := range map[string]int{"root": 0, "person": 1000} {
		t.Run(user, func(t *testing.T) {
			t.Parallel()
			root, err := os.MkdirTemp("", "cdocs-release-") //nolint:usetesting // another user must be able to enter it
			if err = errors.Join(err, os.Chmod(root, 0o755)); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(root) })
			r := &bareRoot{folder: root, uid: uid, home: "/home"}
			r.prepare(t)
			home := filepath.Join(root, "home")
			npx := func(arguments ...string) string {
				command := exec.CommandContext(t.Context(), "npx", append([]string{"--yes", "compound-docs"}, arguments...)...)
				command.Dir = filepath.Join(home, "project")
				command.Env = append([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "npm_config_registry=" + registry}, r.env...)
				asUser(command, uid)
				output, err := command.CombinedOutput()
				if err != nil {
					t.Fatalf("npx compound-docs %v: %v\n%s", arguments, err, output)
				}
				return string(output)
			}
			began := time.Now()
			kept := filepath.Join(home, ".local", "bin", "compound-docs")
			if said := npx("init"); !strings.Contains(said, kept+" serve") {
				t.Errorf("init registers no %s:\n%s", kept, said)
			}
			if said := npx("search", "connection", "pool", "exhausted"); !strings.Contains(said, "db-pool-exhaustion") {
				t.Errorf("search prints %s", said)
			}
			if took := time.Since(began); took > time.Minute {
				t.Errorf("from npx to the result it takes %s", took)
			}
			if said := npx("version"); !strings.Contains(said, "v"+bundledVersion) {
				t.Errorf("version prints %s, want %s", said, bundledVersion)
			}
		})
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

// mcpbManifest is what the public format, version 0.3, knows of what a manifest of ours has.
type mcpbManifest struct {
	ManifestVersion string            `json:"manifest_version"`
	Name            string            `json:"name"`
	DisplayName     string            `json:"display_name"`
	Version         string            `json:"version"`
	Description     string            `json:"description"`
	Author          map[string]string `json:"author"`
	Repository      map[string]string `json:"repository"`
	Documentation   string            `json:"documentation"`
	Support         string            `json:"support"`
	License         string            `json:"license"`
	Keywords        []string          `json:"keywords"`
	ToolsGenerated  bool              `json:"tools_generated"`
	PromptsToo      bool              `json:"prompts_generated"`
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
	UserConfig map[string]struct {
		Type        string `json:"type"`
		Title       string `json:"title"`
		Description string `json:"description"`
		Required    bool   `json:"required"`
		Sensitive   bool   `json:"sensitive"`
		Default     string `json:"default"`
	} `json:"user_config"`
}

// A client starts the server of a bundle as its manifest says.
func TestBundle_StartsAsItsManifestSays(t *testing.T) {
	t.Parallel()
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
	decoder := json.NewDecoder(bytes.NewReader(readFile(t, filepath.Join(installed, "manifest.json"))))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&manifest); err != nil {
		t.Fatal(err)
	}
	server := manifest.Server
	if manifest.ManifestVersion != "0.3" || manifest.Version != bundledVersion || server.Type != "binary" ||
		manifest.Author["name"] == "" || !slices.Equal(manifest.Compatibility.Platforms, []string{"linux"}) {
		t.Errorf("the manifest is %+v", manifest)
	}
	if _, err := os.Stat(filepath.Join(installed, server.EntryPoint)); err != nil {
		t.Error(err)
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
