package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/test/gitrepo"
)

const (
	// memory begins a pointer, and shortlist a list for the first task.
	memory    = "From this project's memory (compound-docs)"
	shortlist = memory + ", for this task"

	work     = "Work on the lamps of the quay"
	question = "background jobs fail with an exhausted database connection pool and missing disposal"
)

// Codex, with the hooks of init, has what they say of a prompt, a command, a patch and a subagent's task in the next
// request to the model, once, and once more after a compaction. It does not tell hooks that a command has failed.
func TestCodex_RecallsWhereItActs(t *testing.T) {
	t.Parallel()
	model := startModel(t, "/responses", work, responses)
	run := withHooks(t, "codex", func(home, root string) []string {
		config := fmt.Sprintf("model = \"any\"\nmodel_auto_compact_token_limit = 50000\nmodel_provider = \"loopback\"\n[model_providers.loopback]\nname = \"loopback\"\n"+
			"base_url = %q\nwire_api = \"responses\"\n[projects.%q]\ntrust_level = \"trusted\"\n", model.url+"/v1", root)
		gitrepo.At(t, home).Put("config.toml", config)
		return []string{"CODEX_HOME=" + home}
	})
	shell := func(line string) step { return call("exec_command", map[string]any{"cmd": line}) }
	codex := func(arguments ...string) {
		run(append([]string{
			"exec", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check",
		}, arguments...)...)
	}
	codex(question)
	model.has(t, question, [][4]int{{0, 0, 0, 1}})
	codex("resume", "--last", "continue")
	model.only = ""
	model.script(step{input: "60000"})
	codex("resume", "--last", question)
	model.has(t, question, [][4]int{{0, 0, 0, 1}})
	model.script()
	codex("resume", "--last", question) // first the model is asked for a summary
	model.has(t, question, [][4]int{{0, 0, 0, 1}, {0, 0, 0, 1}})
	model.only = work
	model.script(shell("sh ./flood -x --all"), shell("sh ./tide"),
		shell("apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: 1.sql\n+alter table ships add column x int;\n*** End Patch\nEOF"),
		shell("sh ./flood --all"), call("spawn_agent", map[string]any{"message": question}), shell("sleep 2"))
	codex(work)
	model.has(t, work, [][4]int{{}, {1}, {1}, {1, 0, 1}, {1, 0, 1}, {1, 0, 1}, {1, 0, 1}})
	model.has(t, question, [][4]int{{0, 0, 0, 1}})
}

// Gemini CLI, with the hooks of init, has what they say of a prompt, a command, a failure and a new file in the next
// request to the model, once. It announces a compaction before each turn, whether there is one or not: nothing is said again.
func TestGemini_RecallsWhereItActs(t *testing.T) {
	t.Parallel()
	model := startModel(t, ":streamGenerateContent", work, generateContent)
	run := withHooks(t, "gemini", func(home, _ string) []string {
		gitrepo.At(t, home).Put(".gemini/settings.json", `{"security": {"auth": {"selectedType": "gemini-api-key"}}}`)
		return []string{"HOME=" + home, "GEMINI_API_KEY=any", "GOOGLE_GEMINI_BASE_URL=" + model.url, "GEMINI_CLI_TRUST_WORKSPACE=true"}
	})
	shell := func(line string) step { return call("run_shell_command", map[string]any{"command": line}) }
	gemini := func(prompt string) { run("--yolo", "-m", "gemini-2.5-pro", "-p", prompt) }
	gemini(question)
	model.has(t, question, [][4]int{{0, 0, 0, 1}})
	model.script(shell("sh ./flood -x --all"), shell("sh ./tide"),
		call("write_file", map[string]any{"file_path": "1.sql", "content": "alter table ships add column x int;\n"}), shell("sh ./flood --all"))
	gemini(work)
	model.has(t, work, [][4]int{{}, {1}, {1, 1}, {1, 1, 1}, {1, 1, 1}})
}

// withHooks returns a function that runs an assistant in a project with the hooks that init adds for it.
// CDOCS_CODEX or CDOCS_GEMINI names the program. settings prepares its home, and returns its environment.
func withHooks(t *testing.T, client string, settings func(home, root string) []string) func(arguments ...string) {
	t.Helper()
	variable := "CDOCS_" + strings.ToUpper(client)
	program := os.Getenv(variable)
	if program == "" {
		t.Skipf("%s names no program; docs/conformance.md says how to install it", variable)
	}
	in := install(t)
	acting(gitrepo.At(t, in.Root))
	execute := func(arguments ...string) {
		t.Helper()
		command := in.Command(arguments...)
		command.Dir = in.Root
		if output, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s %q: %v\n%s", in.Program, arguments, err, output)
		}
	}
	execute("init", "--client", client, "--hooks")
	execute("sync")
	in.Environment = append(settings(t.TempDir(), in.Root), "CDOCS_LOG_LEVEL=error",
		"PATH="+filepath.Dir(in.Program)+string(os.PathListSeparator)+os.Getenv("PATH"))
	in.Program = program
	return execute
}

// has expects the requests of the conversation that began with a prompt to have pointers to the documents about the
// flood, the tide, the ships and the pool so many times.
func (m *scriptedModel) has(t *testing.T, prompt string, want [][4]int) {
	t.Helper()
	n := 0
	for _, body := range m.received() {
		if !strings.Contains(body, prompt) || prompt != work && strings.Contains(body, work) {
			continue
		}
		var got [4]int
		for i, name := range []string{"tools/flood", "tools/tide", "tools/ships", "problems/db-pool-exhaustion-20250115"} {
			got[i] = strings.Count(body, memory+": ./csharp-compounding-docs/"+name+".md") +
				strings.Count(body, shortlist+": ./csharp-compounding-docs/"+name+".md")
		}
		if n < len(want) && got != want[n] {
			t.Errorf("request %d about %q has the pointers %v times, want %v:\n%s", n, prompt, got, want[n], body)
		}
		n++
	}
	if n != len(want) {
		t.Errorf("%d requests about %q, want %d", n, prompt, len(want))
	}
}
