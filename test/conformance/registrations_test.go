package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/test/gitrepo"
)

// Other assistants read what init writes into their settings or prints for them, once they trust the folder,
// and those that can try a server connect to it.
func TestRegistrations_AreReadByTheirClients(t *testing.T) {
	t.Parallel()
	installed := os.Getenv("CDOCS_CLIENTS")
	if installed == "" {
		t.Skip("CDOCS_CLIENTS names no folder of node modules; docs/conformance.md says how to install the clients")
	}
	for _, client := range []struct{ name, program, want, environment string }{
		{name: "codex", program: ".bin/codex", want: "enabled"},
		{"gemini", ".bin/gemini", "✓ compound-docs: compound-docs serve (stdio) - Connected", "GEMINI_CLI_TRUST_WORKSPACE=true"},
		{name: "opencode", program: "opencode-linux-x64/bin/opencode", want: "connected"},
	} {
		t.Run(client.name, func(t *testing.T) {
			t.Parallel()
			in := install(t)
			gitrepo.At(t, in.Root).Git("init", "-q", "-b", "main")
			gitrepo.At(t, in.Home).Put(".codex/config.toml", fmt.Sprintf("[projects.%q]\ntrust_level = \"trusted\"\n", in.Root))
			shown, err := in.Command("init", "--yes", "--client", client.name).CombinedOutput()
			if err != nil {
				t.Fatalf("init: %v\n%s", err, shown)
			}
			if _, entry, ok := strings.Cut(string(shown), "add this to "+in.Root+"/.codex/config.toml\n"); ok {
				lines := strings.SplitAfterN(entry, "\n", 4) // the user adds the entry, which has three
				gitrepo.At(t, in.Root).Put(".codex/config.toml", strings.Join(lines[:3], ""))
			}
			in.Environment = append(in.Environment, "PATH="+filepath.Dir(in.Program)+string(os.PathListSeparator)+os.Getenv("PATH"), client.environment)
			in.Program = filepath.Join(installed, filepath.FromSlash(client.program))
			output, err := in.Command("mcp", "list").CombinedOutput()
			if err != nil || !strings.Contains(string(output), "compound-docs") || !strings.Contains(string(output), client.want) {
				t.Errorf("%s mcp list: %v, want %q:\n%s", client.name, err, client.want, output)
			}
		})
	}
}
