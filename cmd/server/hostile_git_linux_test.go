package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/test/gitrepo"
)

// The configuration of a hostile repository names programs for filters, hooks and diffs. No
// command that asks git runs one of them.
func TestCommands_RunNothingOfAHostileGit(t *testing.T) {
	t.Parallel()
	environment, _ := services(t)
	rule := strings.Replace(document("Rule", "See `src/pool.go`."), "\n---\n", "\npromotion_level: critical\n---\n", 1)
	const path = "csharp-compounding-docs/tools/rule.md"
	root := newProject(t, map[string]string{path: rule, "src/pool.go": "package src\n"})
	repo := gitrepo.At(t, root)
	repo.Git("init", "-q", "-b", "main")
	repo.Put(".gitattributes", "* filter=evil diff=evil\n")
	repo.Git("add", "-A")
	repo.Commit()
	folder := t.TempDir()
	program, trace := filepath.Join(folder, "evil"), filepath.Join(folder, "trace")
	writeProgram(t, program, "echo \"$@\" >>"+trace)
	for _, key := range []string{
		"filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.evil.textconv", "diff.evil.command", "diff.external",
		"core.fsmonitor", "core.pager", "core.sshCommand", "gpg.program",
	} {
		repo.Git("config", key, program)
	}
	hooks := filepath.Join(folder, "hooks")
	must(t, os.Mkdir(hooks, 0o700))
	writeProgram(t, filepath.Join(hooks, "post-index-change"), "echo hook >>"+trace)
	repo.Git("config", "core.hooksPath", hooks)
	repo.Put(".git/info/attributes", "* filter=evil diff=evil\n")
	repo.Put(".git/more", "[filter \"evil\"]\n\tclean = "+program+"\n")
	repo.Git("config", "includeIf.gitdir:/.path", repo.Path(".git/more"))
	later := time.Now().Add(time.Hour)
	repo.Must(os.Chtimes(repo.Path(path), later, later)) // git has to read it to see whether it has changed
	for _, call := range [][]string{
		{"critical"}, {"lint"}, {"lint", "--staged"}, {"graph"}, {"review"}, {"doctor"}, {"sync"}, {"search", "pool"}, {"ask", "pool"},
		{"about", "src/pool.go"}, {"init"},
	} {
		must(t, os.RemoveAll(trace))
		o := run(t, root, environment, call...)
		if text, err := os.ReadFile(trace); err == nil {
			t.Errorf("compound-docs %q has run %s: %s", call, program, text)
		}
		if call[0] == "critical" && !strings.Contains(o.stdout, "Rule") {
			t.Errorf("critical prints %s%s", o.stdout, o.stderr)
		}
	}
	must(t, os.RemoveAll(trace))
	_ = exec.CommandContext(t.Context(), "git", "-C", root, "ls-files", "--modified").Run() // it may fail
	if _, err := os.Stat(trace); err != nil {
		t.Error("git does not run the program at all")
	}
}
