package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// fakeClaude makes a claude that writes down where it runs, and with which arguments, and returns the
// environment in which it is found and what it was asked.
func fakeClaude(t *testing.T, fails bool) (environment []string, asked func() string) {
	t.Helper()
	folder := t.TempDir()
	script := "#!/bin/sh\n{ pwd; printf '%s\\n' \"$@\"; } >>" + folder + "/asked\n"
	if fails {
		script += "echo 'MCP server compound-docs already exists' >&2; exit 1\n"
	}
	must(t, os.WriteFile(filepath.Join(folder, "claude"), []byte(script), 0o700))
	environment = []string{
		"PATH=" + folder + ":" + os.Getenv("PATH"), "CLAUDE_CONFIG_DIR=" + folder, "CDOCS_OLLAMA_HOST=http://gpu-box:11434",
	}
	return environment, func() string {
		text, err := os.ReadFile(filepath.Join(folder, "asked"))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return string(text)
	}
}

func TestInit_RegistersOnce(t *testing.T) {
	t.Parallel()
	environment, asked := fakeClaude(t, false)
	root := newFolder(t)
	write(t, root, ".git/HEAD", "ref: refs/heads/main\n")
	write(t, root, "docs/solutions/pool.md", "# Pool\n")
	below := filepath.Join(root, "docs", "solutions")
	said := mustRun(t, below, environment, "init", "--yes").stdout
	for _, want := range []string{
		"the project is shop-42", "documents: 1 markdown file in docs/solutions\n", "\nStart your assistant in this repository",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("init does not say %q: %s", want, said)
		}
	}
	lines := strings.Split(asked(), "\n")
	want := root + " mcp add --env CDOCS_OLLAMA_HOST=http://gpu-box:11434"
	got := strings.Join(lines, " ")
	if !strings.HasPrefix(got, want) || !strings.Contains(got, " --scope local compound-docs -- /") || !strings.HasSuffix(got, "/compound-docs serve ") {
		t.Errorf("claude gets %s, want %s … --scope local compound-docs -- /…/compound-docs serve", got, want)
	}
	write(t, root, ".mcp.json", `{"mcpServers": {"compound-docs": {"command": "compound-docs"}}}`)
	said = mustRun(t, below, environment, "init", "--yes").stdout
	if !strings.Contains(said, "config: kept ") || !strings.Contains(said, "has the server already") {
		t.Errorf("a second init says %s", said)
	}
	without := mustRun(t, below, []string{"PATH=/nowhere", "CLAUDE_CONFIG_DIR=" + t.TempDir()}, "init").stdout
	if !strings.Contains(without, "has the server already") || !strings.Contains(without, "\nStart your assistant in ") {
		t.Errorf("without Claude Code init says %s", without)
	}
	if again := strings.Split(asked(), "\n"); len(again) != len(lines) {
		t.Errorf("a second init registers again: %q", again)
	}
}

// newFolder returns a folder whose name no project may have.
func newFolder(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	root = filepath.Join(root, "Shop_42")
	must(t, os.Mkdir(root, 0o700))
	return root
}

func TestInit_SaysHowToRegister(t *testing.T) {
	t.Parallel()
	const secret = "CDOCS_DATABASE_URL=postgres://u:s3cret@h/d"
	for name, environment := range map[string]func() []string{
		"without Claude Code": func() []string { return []string{"PATH=/nowhere", "CLAUDE_CONFIG_DIR=" + t.TempDir()} },
		"when it refuses":     func() []string { environment, _ := fakeClaude(t, true); return environment },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := newFolder(t)
			home := t.TempDir()
			write(t, home, "settings.json", `{"log_level": "warn"}`)
			got := run(t, root, append(environment(), secret, "CDOCS_HOME="+home), "init", root)
			said := got.stdout + got.stderr
			if got.code != 1 || !strings.Contains(said, `--env CDOCS_HOME="$CDOCS_HOME" --scope local`) ||
				strings.Contains(said, "s3cret") {
				t.Errorf("init ends with %d, and says %s", got.code, said)
			}
			settings, err := os.ReadFile(filepath.Join(home, "settings.json"))
			for _, want := range []string{`"database_url": "postgres://u:s3cret@h/d"`, `"log_level": "warn"`} {
				if err != nil || !strings.Contains(string(settings), want) {
					t.Errorf("the settings are %s, %v; want %s", settings, err, want)
				}
			}
			if info, err := os.Stat(filepath.Join(home, "settings.json")); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the settings are %v, %v; want them closed to others", info, err)
			}
			if _, err := os.Stat(filepath.Join(root, ".csharp-compounding-docs", "config.json")); err != nil {
				t.Error(err)
			}
		})
	}
}

// A client may start the server without the variable that names PostgreSQL.
func TestInit_KeepsWherePostgreSQLIs(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	run(t, newFolder(t), []string{"PATH=/nowhere", "HOME=" + home, "CDOCS_HOME=" + home, testenv.EnvPrograms + "=/pg/bin"}, "init")
	settings, err := os.ReadFile(filepath.Join(home, "settings.json"))
	if want := `"postgres": "/pg/bin"`; err != nil || !strings.Contains(string(settings), want) {
		t.Errorf("the settings are %s, %v; want %s", settings, err, want)
	}
}

// In a folder of a repository that has no configuration, init does not guess which of the
// two is the project.
func TestInit_DoesNotGuessWhichFolderOfAMonorepo(t *testing.T) {
	t.Parallel()
	environment := []string{"PATH=/nowhere", "CLAUDE_CONFIG_DIR=" + t.TempDir()}
	root := newFolder(t)
	write(t, root, ".git/HEAD", "ref: refs/heads/main\n")
	write(t, root, "services/billing/main.go", "package main\n")
	billing := filepath.Join(root, "services", "billing")
	isProject := func(folder string) bool {
		_, err := os.Stat(filepath.Join(folder, configPath))
		return err == nil
	}
	got := run(t, billing, environment, "init")
	if got.code != 2 || !strings.Contains(got.stderr, billing+" is a folder of the repository "+root) ||
		!strings.Contains(got.stderr, "`compound-docs init .`") || isProject(root) || isProject(billing) {
		t.Errorf("init ends with %d and says %s", got.code, got.stderr)
	}
	if mustRun(t, billing, environment, "init", "."); isProject(root) || !isProject(billing) {
		t.Error("init . does not prepare the folder alone")
	}
	if mustRun(t, filepath.Join(root, "services"), environment, "init", "--yes"); !isProject(root) {
		t.Error("init --yes does not prepare the repository")
	}
	home := newFolder(t)
	got = run(t, home, append(environment, "HOME="+home), "init", "--yes")
	if got.code != 2 || !strings.Contains(got.stderr, "is no repository") || isProject(home) {
		t.Errorf("init in the home folder ends with %d and says %s", got.code, got.stderr)
	}
	if said := mustRun(t, filepath.Join(root, "services"), environment, "init").stdout; !strings.Contains(said, "config: kept ") {
		t.Errorf("in a repository with a configuration init says %s", said)
	}
}
