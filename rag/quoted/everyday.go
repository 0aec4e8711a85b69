package quoted

import (
	"slices"
	"strings"
)

// everydayCalls has the calls that assistants make all day: they read, build, test or write down. A program
// without subcommands here is one with all of its calls.
var everydayCalls = map[string]string{
	"ls": "", "cat": "", "head": "", "tail": "", "grep": "", "rg": "", "find": "", "fd": "", "pwd": "", "echo": "",
	"printf": "", "wc": "", "stat": "", "file": "", "diff": "", "sort": "", "uniq": "", "which": "", "type": "",
	"tree": "", "du": "", "df": "", "ps": "", "printenv": "", "date": "", "whoami": "", "uname": "", "hostname": "",
	"history": "", "man": "", "less": "", "jq": "", "yq": "", "awk": "", "cut": "", "tr": "", "sleep": "",
	"true": "", "test": "", "cd": "", "export": "", "source": "", "kill": "", "pgrep": "", "lsof": "", "ss": "",
	"netstat": "", "mkdir": "", "touch": "", "ln": "", "xargs": "", "tar": "", "unzip": "", "open": "", "code": "",
	"for": "", "wait": "", "read": "", "basename": "", "dirname": "", "tee": "", "gh": "",
	"git": "status diff log show branch checkout switch add commit push pull fetch stash merge rebase restore " +
		"blame remote rev-parse ls-files worktree tag config grep clone cherry-pick reset init describe mv rm",
	"go": "build test vet run fmt list doc env version mod generate get tool install", "gofmt": "", "gofumpt": "",
	"golangci-lint": "", "npm": "install i ci test t start ls outdated view",
	"pnpm": "install i add build test dev lint", "yarn": "install add build test lint dev",
	"bun": "install add test", "node": "", "tsx": "", "tsc": "", "eslint": "", "prettier": "", "vitest": "",
	"jest": "", "playwright": "", "cargo": "build test check clippy fmt run tree doc add", "rustc": "",
	"rustfmt": "", "python": "-c manage.py", "pytest": "", "ruff": "", "mypy": "", "black": "", "isort": "",
	"pip": "list show install", "poetry": "install", "uv": "sync pip", "gradlew": "build test check assemble",
	"mvn": "test compile verify package", "dotnet": "build test run format restore", "bundle": "install",
	"rspec": "", "rubocop": "", "rails": "test routes console", "rake": "", "swift": "build test", "xcodebuild": "",
	"flutter": "analyze test run", "cmake": "", "ctest": "", "ninja": "", "bazel": "build test query",
	"docker":  "ps images logs inspect build version compose",
	"kubectl": "get describe logs config diff top explain port-forward version",
	"helm":    "list template lint status get", "terraform": "fmt init validate plan output show",
	"systemctl": "status", "journalctl": "", "curl": "", "wget": "", "ping": "", "make": "", "just": "", "task": "",
}

const (
	// runScripts start a script of the project, whose name is the next word.
	runScripts = "npm run pnpm run yarn run bun run"
	// everydayScripts are such names, and targets of make, that every project has.
	everydayScripts = "all build test tests lint fmt format check dev start run typecheck clean help install ci coverage watch"
)

// talks has everyday programs whose quoted arguments are messages and patterns, and no commands.
var talks = map[string]bool{
	"git": true, "gh": true, "echo": true, "printf": true, "grep": true, "rg": true, "jq": true, "awk": true, "sed": true,
	"find": true,
}

// runners start the program behind them, after so many words.
var runners = []struct {
	words []string
	skip  int
}{
	{[]string{"poetry", "run"}, 2},
	{[]string{"uv", "run"}, 2},
	{[]string{"bundle", "exec"}, 2},
	{[]string{"npm", "exec"}, 2},
	{[]string{"pnpm", "exec"}, 2},
	{[]string{"docker", "exec"}, 3},
	{[]string{"docker", "compose", "exec"}, 4},
}

// everyday reports whether assistants make such a call all day, and how many words say so.
func (c Command) everyday() (own int, everyday bool) {
	words := c.words
	for _, runner := range runners {
		if len(words) > runner.skip && slices.Equal(words[:len(runner.words)], runner.words) {
			words = words[runner.skip:]
		}
	}
	if len(words) > 1 && words[0] == "python" && slices.Contains(c.flags, "-m") {
		words = words[1:]
	}
	isRequest := func(flag string) bool { return flag == "-X" || flag == "--request" }
	if len(words) == 0 || words[0] == "curl" && slices.ContainsFunc(c.flags, isRequest) {
		return 0, false
	}
	size := len(c.words) - len(words) + 2
	if len(words) > 2 && strings.Contains(runScripts, words[0]+" "+words[1]) {
		return size + 1, isScript(words[2])
	}
	if len(words) > 1 && slices.Contains([]string{"make", "just", "task"}, words[0]) {
		return size, isScript(words[1])
	}
	calls, known := everydayCalls[words[0]]
	if !known || calls == "" || len(words) == 1 {
		return size - 1, known
	}
	if words[1] == "compose" {
		size++
	}
	return size, slices.Contains(strings.Fields(calls), words[1])
}

func isScript(text string) bool {
	name, _, _ := strings.Cut(text, ":")
	return slices.Contains(strings.Fields(everydayScripts), name)
}

// changingCalls are the everyday calls that change more than files which can be made again.
var changingCalls = map[string]string{
	"git":    "push pull reset rebase merge checkout switch restore commit stash cherry-pick rm clean branch tag",
	"docker": "compose run build", "npm": "install i ci run exec", "pnpm": "install add run",
	"yarn": "install add run", "bun": "install add run", "go": "get mod generate install", "pip": "install",
	"uv": "sync pip", "poetry": "install", "bundle": "install", "cargo": "add", "make": "", "just": "", "task": "",
}

// isKnown reports whether the program has everyday calls.
func (c Command) isKnown() bool {
	_, known := everydayCalls[c.words[0]]
	return known
}

func (c Command) changes() bool {
	calls, known := changingCalls[c.words[0]]
	return known && (calls == "" || len(c.words) > 1 && slices.Contains(strings.Fields(calls), c.words[1]))
}
