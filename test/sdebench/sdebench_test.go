package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// buildScript makes a repository whose module returns 5. The rule is 7; a repro only asks for less than 9.
const buildScript = `import subprocess, sys
from pathlib import Path
repo = Path(sys.argv[1])
(repo / "tests").mkdir(parents=True)
(repo / "budget.py").write_text("ATTEMPTS = 9\n")
(repo / "tests" / "test_budget.py").write_text("import budget\nassert budget.ATTEMPTS > 0\n")
for command in (["init", "-q"], ["add", "-A"], ["-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "budget"]):
    subprocess.run(["git", "-C", str(repo), *command], check=True)
`

// agentScript is an agent that knows the rule from documents or from a reviewer, and guesses otherwise. It may see the
// hidden test nowhere. It also changes a test, which does not count.
const agentScript = `#!/bin/sh
echo "$PWD" >> "$LOG"
if [ -n "$(find .. -name '*hidden*')" ]; then echo hidden >> "$LOG"; fi
echo "assert False" > tests/test_budget.py
case "$1" in
*"want 7"*) n=7 ;;
*) n=8; grep -rqs "exactly 7" docs && n=7; test -e prepared && n=7 ;;
esac
echo "ATTEMPTS = $n" > budget.py
exit 3
`

func put(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

// putTask writes a task in the form of sde-bench.
func putTask(t *testing.T, data, name string) {
	t.Helper()
	tests := filepath.Join(data, name, "tasks", "main")
	put(t, filepath.Join(data, name, "build.py"), buildScript, 0o600)
	put(t, filepath.Join(tests, "regression_test.py"), "import budget\nassert budget.ATTEMPTS < 9\n", 0o600)
	put(t, filepath.Join(tests, "hidden_test.py"), "import budget\nassert budget.ATTEMPTS == 7, 'want 7'\n", 0o600)
	content, err := json.Marshal(task{
		ID: name, Report: "We retry too often.", FailToPass: []string{"tests/test_regression.py"},
		PassToPass: []string{"tests/test_budget.py"}, Hidden: []string{"tests/test_hidden.py"},
	})
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(tests, "task.json"), string(content), 0o600)
}

func results(t *testing.T, file string) (all []result) {
	t.Helper()
	err := eachResult(file, func(r result) {
		r.Seconds = 0
		all = append(all, r)
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestRun_CountsCorrectionsAndGoesOn(t *testing.T) {
	for _, needed := range []string{"python3", "git", "sh"} {
		if _, err := exec.LookPath(needed); err != nil {
			t.Skipf("%s is not installed", needed)
		}
	}
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	t.Setenv("LOG", log)
	for _, name := range []string{"a", "b", "other"} {
		putTask(t, filepath.Join(dir, "data"), name)
	}
	put(t, filepath.Join(dir, "documents", "budget.md"), "# Budget\n\nWe try exactly 7 times.\n", 0o600)
	agent := filepath.Join(dir, "agent.sh")
	put(t, agent, agentScript, 0o700)
	o := options{
		agent: agent, init: "touch prepared", grader: "python3", data: filepath.Join(dir, "data"), only: "[ab]",
		documents: filepath.Join(dir, "documents"), results: filepath.Join(dir, "results.jsonl"), tasks: 1, timeout: time.Minute,
	}
	var want []result
	for _, name := range []string{"a", "b"} {
		want = append(want, result{Task: name, Arm: "nothing", Solved: true, Corrections: 1},
			result{Task: name, Arm: "documents", Solved: true}, result{Task: name, Arm: "hooks", Solved: true})
		var out strings.Builder
		if err := run(t.Context(), o, &out); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, results(t, o.results)); diff != "" {
			t.Fatalf("after %s (-want +got):\n%s", name, diff)
		}
		n := len(want) / len(arms)
		summary := fmt.Sprintf("nothing: %d tasks, %d solved, 0 at the first try, %d corrections\n", n, n, n)
		if !strings.Contains(out.String(), summary) || strings.Count(out.String(), name+" ") < len(arms) {
			t.Errorf("printed:\n%s", out.String())
		}
	}
	calls, err := os.ReadFile(log)
	if err != nil || strings.Contains(string(calls), "hidden") || strings.Count(string(calls), "\n") != 8 {
		t.Errorf("%v; the agent was called in\n%s", err, calls)
	}
}
