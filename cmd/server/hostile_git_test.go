package main_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	documents "github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/history"
	"github.com/compound-docs/compound-docs/test/gitrepo"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// No program that a repository's git configuration names is run, whatever is asked of the
// repository.
func TestHostileGit_RunsNothing(t *testing.T) {
	t.Parallel()
	environment, _ := services(t)
	environment = append(environment, "CDOCS_HOME="+t.TempDir(), "HOME="+t.TempDir())
	const tools = "csharp-compounding-docs/tools/"
	text := strings.Replace(document("A rule", "It is about src/pool.go:1-2."), "\n---\n", "\npromotion_level: critical\nfiles: [src/pool.go]\n---\n", 1)
	repo := gitrepo.At(t, newProject(t, map[string]string{
		tools + "rule.md": text, tools + "helper.md": document("A helper", "It is about src/pool.go."), "src/pool.go": "package pool\n\nfunc NewPool() {}\n",
	}))
	repo.Git("init", "-q", "-b", "main")
	repo.Commit()
	repo.Put("src/pool.go", "package pool\n\nfunc NewPool(size int) {}\n")
	repo.Commit()
	marker := filepath.Join(t.TempDir(), "ran")
	hostile(t, repo, marker)
	ran := func(what string) {
		t.Helper()
		if names, err := os.ReadFile(marker); err == nil {
			t.Errorf("%s runs %q", what, strings.Fields(string(names)))
			repo.Must(os.Remove(marker))
		}
	}
	_ = exec.CommandContext(t.Context(), "git", "-C", repo.Root, "status").Run() // it may fail
	names, err := os.ReadFile(marker)
	if err != nil || !strings.Contains(string(names), "clean") || !strings.Contains(string(names), "process") {
		t.Fatalf("git itself runs %q", names)
	}
	repo.Must(os.Remove(marker))

	askGitlog(t, repo)
	ran("gitlog")
	touch(t, repo)
	if _, err := history.NewPlaceChecker(repo.Root).Check(t.Context(), []history.CitingDocument{
		{Path: tools + "rule.md", Places: []documents.Place{{Path: "src/pool.go", First: 1, Last: 3}}},
	}); err != nil {
		t.Error(err)
	}
	ran("staleness")
	for _, arguments := range [][]string{
		{"critical"},
		{"sync"},
		{"about", "src/pool.go:1-3"},
		{"lint"},
		{"search", "a rule"},
		{"search", "--explain", "a rule"},
		{"status"},
		{"doctor"},
		{"promote", tools + "rule.md", "important"},
		{"clean", "--dry-run"},
	} {
		touch(t, repo)
		if o := run(t, repo.Root, environment, arguments...); o.code == 2 && arguments[0] != "doctor" {
			t.Errorf("%v: %s", arguments, o.stderr) // it has done nothing
		}
		ran(strings.Join(arguments, " "))
	}
	for name, session := range map[string]struct {
		arguments []string
		input     string
	}{
		"recall": {[]string{"recall", "--hook"}, `{"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "what is a rule for pools?"}`},
		"edit": {[]string{"recall", "--hook"}, `{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Edit", "tool_input": {"file_path": "` +
			repo.Path("src/pool.go") + `"}}`},
	} {
		touch(t, repo)
		command := exec.CommandContext(t.Context(), testenv.Program(t), session.arguments...)
		command.Dir, command.Stdin = repo.Root, strings.NewReader(session.input)
		command.Env = append([]string{"PATH=" + os.Getenv("PATH")}, environment...)
		if output, err := command.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", name, err, output)
		}
		ran(name)
	}
	session := connect(t, server(t, append(environment, "CLAUDE_PROJECT_DIR="+repo.Root)...))
	var ignored map[string]any
	call(t, session, "activate_project", activation(repo.Root), &ignored)
	ran("serve and activate_project")
	for _, tool := range []string{"semantic_search", "rag_query"} {
		touch(t, repo)
		call(t, session, tool, map[string]any{"query": "a rule for pools", "min_relevance_score": 0}, &ignored)
		ran(tool)
	}
}

// hostile configures every program that git may run by itself in a repository: each writes
// its name to the file marker.
func hostile(t *testing.T, repo *gitrepo.Repo, marker string) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	repo.Must(os.WriteFile(program, []byte("#!/bin/sh\necho \"$1\" >>'"+marker+"'\n[ \"$1\" != clean ] || cat\n"), 0o700))
	hooks := t.TempDir()
	for _, hook := range []string{"post-checkout", "post-index-change", "pre-commit", "reference-transaction", "fsmonitor-watchman"} {
		repo.Must(os.WriteFile(filepath.Join(hooks, hook), []byte("#!/bin/sh\n"+program+" "+hook+"\n"), 0o700))
	}
	repo.Put(".gitattributes", "* filter=clean diff=d\n")
	repo.Put(".git/info/attributes", "*.go filter=process diff=d\n")
	included := repo.Path(".git/included")
	repo.Put(".git/included", "[filter \"included\"]\n\tclean = "+program+" clean\n")
	for key, value := range map[string]string{
		"filter.clean.clean": program + " clean", "filter.clean.smudge": program + " clean", "filter.process.process": program + " process",
		"core.fsmonitor": program, "core.hooksPath": hooks, "core.pager": program + " pager", "pager.log": program + " pager.log",
		"pager.diff": program + " pager.diff", "core.editor": program + " editor", "core.sshCommand": program + " ssh",
		"core.alternateRefsCommand": program + " refs", "diff.external": program + " external", "diff.d.command": program + " command",
		"diff.d.textconv": program + " textconv", "gpg.program": program, "log.showSignature": "true", "alias.log": "!" + program + " alias",
		"interactive.diffFilter": program + " filter", "credential.helper": "!" + program + " credential", "includeIf.gitdir:**.path": included,
	} {
		repo.Git("config", key, value)
	}
	touch(t, repo)
}

// touch changes times of files, so that git must read them again.
func touch(t *testing.T, repo *gitrepo.Repo) {
	t.Helper()
	at := time.Now().Add(-time.Hour)
	for _, name := range []string{"src/pool.go", "csharp-compounding-docs/tools/rule.md"} {
		info, err := os.Stat(repo.Path(name))
		repo.Must(err)
		if info.ModTime().Equal(at) {
			at = at.Add(time.Minute)
		}
		repo.Must(os.Chtimes(repo.Path(name), at, at))
	}
}

func askGitlog(t *testing.T, repo *gitrepo.Repo) {
	t.Helper()
	folder, err := history.Open(repo.Root)
	repo.Must(err)
	head, err := folder.Head(t.Context())
	repo.Must(err)
	_, branchErr := folder.HasBranch(t.Context(), "main")
	_, shallowErr := folder.Shallow(t.Context())
	_, addedErr := folder.Added(t.Context(), head)
	_, touchedErr := folder.Touched(t.Context(), head)
	_, renamedErr := folder.Renamed(t.Context(), head+"~1", head)
	contentsErr := folder.Contents(t.Context(), []history.Version{{Commit: head, Path: "src/pool.go"}}, func(int, history.Content) {})
	repo.Must(errors.Join(branchErr, shallowErr, addedErr, touchedErr, renamedErr, contentsErr))
}
