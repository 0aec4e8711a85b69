package release_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// The shell blocks with which README.md begins run as they are, in a home without anything:
// npm's registry and GitHub are this machine's, Claude Code is a script that notes its calls.
func TestREADME_BeginsAsItSays(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "the program is installed in each way")
	if _, err := exec.LookPath("npx"); err != nil {
		t.Skip("npx is not on this machine")
	}
	if err := exec.CommandContext(t.Context(), "git", "-C", repository, "rev-parse", "HEAD").Run(); err != nil {
		t.Skip("this is no clone of git:", err)
	}
	start, _, _ := strings.Cut(string(read(t, "README.md")), "\n## Why")
	blocks := regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllStringSubmatch(start, -1)
	if len(blocks) != 3 {
		t.Fatalf("README.md begins with %d shell blocks, want npx, make install and the plugin", len(blocks))
	}
	npm, source, plugin := blocks[0][1], blocks[1][1], blocks[2][1]
	for name, begin := range map[string]struct{ block, program string }{
		"npm": {npm, ".local/bin/compound-docs"}, "source": {source, "go/bin/compound-docs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := newHome(t)
			home.run(t, "sh", "-ec", begin.block)
			want := " compound-docs -- " + filepath.Join(home.folder, begin.program) + " serve\n"
			if calls := home.calls(t); !strings.HasPrefix(calls, "mcp add ") || !strings.HasSuffix(calls, want) {
				t.Errorf("Claude Code is called with\n%s, want mcp add …%s", calls, want)
			}
			found := home.run(t, "sh", "-ec", "cd ~/my-project && ~/"+begin.program+" search connection pool exhausted")
			if !strings.Contains(found, "docs/pool.md") {
				t.Errorf("search prints %s", found)
			}
		})
	}
	t.Run("plugin", func(t *testing.T) {
		t.Parallel()
		home := newHome(t)
		home.run(t, "sh", "-ec", plugin)
		var market struct {
			Name    string `json:"name"`
			Plugins []struct {
				Name string `json:"name"`
			} `json:"plugins"`
		}
		if err := json.Unmarshal(read(t, ".claude-plugin/marketplace.json"), &market); err != nil {
			t.Fatal(err)
		}
		want := "plugin marketplace add compound-docs/compound-docs\nplugin install " + market.Plugins[0].Name + "@" + market.Name + "\n"
		if calls := home.calls(t); calls != want {
			t.Errorf("Claude Code is called with\n%s, want\n%s", calls, want)
		}
	})
}

// home is a folder with a repository of one document.
type home struct {
	folder      string
	environment []string
}

func newHome(t *testing.T) home {
	t.Helper()
	folder := t.TempDir()
	clone, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"programs/claude":         "#!/bin/sh\nif [ $# -gt 0 ]; then echo \"$*\" >>\"$HOME/calls\"; fi\n",
		"my-project/docs/pool.md": "# Connection pool exhausted\n\nThe nightly job kept its connection while it slept.\n",
		"my-project/.git/HEAD":    "ref: refs/heads/main\n",
	} {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	// The modules and what is compiled come from the caches of this machine.
	caches, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE", "GOCACHE").Output()
	cache := strings.Fields(string(caches))
	if err != nil || len(cache) != 2 {
		t.Fatal(cache, err)
	}
	return home{folder, []string{
		"HOME=" + folder, "PATH=" + filepath.Join(folder, "programs") + ":" + os.Getenv("PATH"),
		"npm_config_registry=" + npmRegistry(t, bundles(t)),
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url.file://" + clone + ".insteadOf",
		"GIT_CONFIG_VALUE_0=https://github.com/compound-docs/compound-docs",
		"GOMODCACHE=" + cache[0], "GOCACHE=" + cache[1],
		"CDOCS_DATABASE_URL=" + testenv.DatabaseURL(t), "CDOCS_OLLAMA_HOST=http://127.0.0.1:9",
	}}
}

func (h home) run(t *testing.T, name string, arguments ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, arguments...)
	command.Dir, command.Env = h.folder, h.environment
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", arguments, err, output)
	}
	return string(output)
}

// calls returns the arguments with which Claude Code was called, a line a call.
func (h home) calls(t *testing.T) string {
	t.Helper()
	return string(readFile(t, filepath.Join(h.folder, "calls")))
}
