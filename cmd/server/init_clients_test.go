package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// init registers the server with the assistants whose settings the repository has, or with
// those that are named, and changes nothing with --print.
func TestInit_RegistersWithOtherAssistants(t *testing.T) {
	t.Parallel()
	environment, asked := fakeClaude(t, false)
	home := t.TempDir()
	environment = append(environment, "HOME="+home)
	root := newFolder(t)
	write(t, root, ".git/HEAD", "ref: refs/heads/main\n")
	write(t, root, ".cursor/mcp.json", "{\n  // ours\n  \"mcpServers\": {}\n}\n")
	write(t, root, "AGENTS.md", "# Ours\n")
	shown := mustRun(t, root, environment, "init", "--client", "vscode,goose,claude,CLAUDE.md", "--print").stdout
	for _, want := range []string{
		root + "/CLAUDE.md\n", "## Project memory",
		"claude mcp add ", root + "/.vscode/mcp.json\n", `"${workspaceFolder}"`, "Goose: add this to " + home + "/.config/goose/config.yaml\n", "cmd: \"/",
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("--print does not show %q: %s", want, shown)
		}
	}
	if _, err := os.Stat(filepath.Join(root, ".vscode")); !os.IsNotExist(err) || asked() != "" {
		t.Errorf("--print writes files, or asks claude: %v, %q", err, asked())
	}
	said := mustRun(t, root, environment, "init", "--yes").stdout
	if !strings.Contains(said, "Cursor: registered the server in "+root+"/.cursor/mcp.json") {
		t.Errorf("init says %s", said)
	}
	text, err := os.ReadFile(filepath.Join(root, ".cursor", "mcp.json"))
	if err != nil || !strings.Contains(string(text), "// ours") || !strings.Contains(string(text), `"compound-docs": {`) {
		t.Errorf("Cursor's file is %s, %v", text, err)
	}
	if text, err := os.ReadFile(filepath.Join(root, "AGENTS.md")); err != nil || string(text) != "# Ours\n" ||
		!strings.Contains(said, "AGENTS.md: to have it say when to search: compound-docs init --client AGENTS.md\n") {
		t.Errorf("a paragraph is not offered but forced: %q, %v, and init says %s", text, err, said)
	}
	mustRun(t, root, environment, "init", "--yes", "--client", "AGENTS.md")
	if text, err := os.ReadFile(filepath.Join(root, "AGENTS.md")); err != nil || !strings.HasPrefix(string(text), "# Ours\n\n## Project memory\n") {
		t.Errorf("AGENTS.md is %q, %v", text, err)
	}
	if said = mustRun(t, root, environment, "init", "--yes", "--client", "goose").stdout; strings.Contains(said, "Goose: registered") {
		t.Errorf("init --client goose says %s", said)
	}
	if _, err := os.Stat(filepath.Join(home, ".config")); !os.IsNotExist(err) {
		t.Errorf("init changes Goose's file, which is YAML: %v", err)
	}
	shown = mustRun(t, root, environment, "init", "--client", "cursor,goose", "--hooks", "--print").stdout
	for _, want := range []string{"Cursor: " + root + "/.cursor/hooks.json\n", "compound-docs recall --hook", "Goose: hooks are not known for it"} {
		if !strings.Contains(shown, want) {
			t.Errorf("--hooks --print does not show %q: %s", want, shown)
		}
	}
	for _, wrong := range [][]string{{"--client", "emacs"}, {"--print"}} {
		if got := run(t, root, environment, append([]string{"init"}, wrong...)...); got.code != 2 {
			t.Errorf("init %q ends with %d: %s", wrong, got.code, got.stderr)
		}
	}
}

// A program in npx's cache says how to install it.
func TestInit_InACache(t *testing.T) {
	t.Parallel()
	cached := filepath.Join(t.TempDir(), "_npx", "compound-docs")
	content, err := os.ReadFile(testenv.Program(t))
	must(t, err, os.Mkdir(filepath.Dir(cached), 0o700), os.WriteFile(cached, content, 0o700))
	command := exec.CommandContext(t.Context(), cached, "init", newFolder(t))
	command.Env = []string{"HOME=" + t.TempDir()}
	said, _ := command.Output() // without a database it ends with 1
	if want := "program: " + cached + " is in a cache that npx may empty; run: npm install -g compound-docs"; !strings.Contains(string(said), want) {
		t.Errorf("init does not say %q: %s", want, said)
	}
}

// An assistant finds the program by its path if the name is only on the PATH of npx, which assistants do not have.
func TestInit_RegistersAProgramThatIsFound(t *testing.T) {
	t.Parallel()
	program, folder := testenv.Program(t), t.TempDir()
	scripts := filepath.Join(folder, "node_modules", ".bin")
	must(t, os.MkdirAll(scripts, 0o700), os.Symlink(program, filepath.Join(scripts, "compound-docs")))
	must(t, os.Symlink(program, filepath.Join(folder, "compound-docs")))
	for name, test := range map[string]struct{ path, command, said string }{
		"not on the PATH": {"/nowhere", program, "To have the name found, run: export PATH=" + filepath.Dir(program) + ":$PATH\n"},
		"under npx":       {scripts, program, program + " search 'how do we …'\n"},
		"on the PATH":     {scripts + ":" + folder, "compound-docs", "\n  compound-docs search 'how do we …'\n"},
	} {
		root := newFolder(t)
		write(t, root, "docs/pool.md", "# Pool exhausted\n")
		write(t, root, "README.md", "# Shop\n")
		got := run(t, root, []string{"HOME=" + t.TempDir(), "PATH=" + test.path}, "init", "--client", "opencode,codex,cursor", "--hooks")
		text, err := os.ReadFile(filepath.Join(root, "opencode.json"))
		hooks, hooksErr := os.ReadFile(filepath.Join(root, ".cursor", "hooks.json"))
		if err != nil || hooksErr != nil || !strings.Contains(string(text), `"command": [
        "`+test.command+`",`) || !strings.Contains(string(hooks), `"`+test.command+` recall --hook`) {
			t.Errorf("%s: the files are %s%s, %v, %v", name, text, hooks, err, hooksErr)
		}
		if !strings.Contains(got.stdout, test.said) || !strings.Contains(got.stdout, `command = "`+test.command+`"`) || strings.Contains(got.stdout, "compound-docs up:") {
			t.Errorf("%s: init says %s", name, got.stdout)
		}
	}
}
