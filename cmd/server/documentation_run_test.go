package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// notRun are the lines of shell blocks in README.md and docs/ that no test runs, by what
// they begin with, and why.
var notRun = map[string]string{
	"docker exec":            "it changes the password in a container of the reader",
	"claude":                 "Claude Code is not on every machine; make conformance runs it where it is",
	"npm ":                   "it downloads another program",
	"qmd ":                   "it is another program, with which ours is compared",
	"gh ":                    "it is of a release, and there is none yet",
	"cosign ":                "it is of a release, and there is none yet",
	"sha256sum":              "it is of a release, and there is none yet",
	"identity=":              "it is of a release, and there is none yet",
	"issuer=":                "it is of a release, and there is none yet",
	"git clone":              "test/release runs the first blocks of README.md as they are",
	"npx compound-docs init": "test/release runs it too",
	"go install":             "make sql runs goose at this version",
	"goose ":                 "make sql runs it",
	"make ":                  "it builds, tests or measures this repository: CI runs make ci, of which most targets are a part",
	"rm -r ":                 "it removes the settings of the reader",
	"export ":                "it names servers of the reader",
	"CDOCS_CLAUDE=":          "Claude Code is not on every machine",
	"CDOCS_CODEX=":           "nor are the other assistants",
	"CDOCS_CLIENTS=":         "nor are the other assistants",
	"cd ~/my-project":        "test/release runs it too",
	"source <(":              "it loads a completion into a shell; testdata/commands/completion.txtar has what that answers",
	"compound-docs recall":   "it waits for an event on stdin; TestRecall_AnswersAHook gives it some",
	"compound-docs serve":    "it speaks with a client until that leaves; nearly every other test here runs it",
}

// Every line of a shell block on a page is run in a copy of the demo project, or has its
// output compared in testdata/commands, or is among notRun.
func TestDocumentation_BlocksRun(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "every command of the program is run")
	r := newTranscript(t)
	write(t, r.root, "csharp-compounding-docs/problems/pool-exhausted-20260115.md", blocks(t, "README.md", "markdown")[0])
	write(t, r.root, "handbook/holidays.md", "# Holidays\n\nThirty days a year.\n")
	compared, used := transcribed(t), map[string]bool{}
	for _, line := range blockLines(t) {
		reason := ""
		for start := range notRun {
			if strings.HasPrefix(line, start) {
				reason, used[start] = start, true
			}
		}
		if reason != "" || slices.Contains(compared, line) {
			continue
		}
		arguments, ours := strings.CutPrefix(line, "compound-docs ")
		if !ours {
			t.Errorf("%q is not run; run it here, or add it to notRun with the reason", line)
			continue
		}
		if o := run(t, r.root, r.environment, words(strings.ReplaceAll(arguments, "~/my-project", r.root))...); o.code != 0 {
			t.Errorf("%s ends with %d: %s", line, o.code, o.stderr)
		}
	}
	for start := range notRun {
		if !used[start] {
			t.Errorf("no page has %q any more; take it off notRun", start)
		}
	}
}

// transcribed returns the calls of the transcripts.
func transcribed(t *testing.T) (calls []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "commands", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		must(t, err)
		for line := range strings.Lines(string(content)) {
			if call, ok := strings.CutPrefix(strings.TrimSpace(line), "$ "); ok {
				calls = append(calls, call)
			}
		}
	}
	return calls
}

var (
	// comment is behind a command.
	comment = regexp.MustCompile(`(^|\s+)#.*$`)
	// redirection gives a command a file, or takes what it prints to a file or another program.
	redirection = regexp.MustCompile(`\s+([|>]|<[^(]).*$`)
)

// blockLines returns the commands in the shell blocks of README.md and docs/, each once,
// without comments and redirections.
func blockLines(t *testing.T) (lines []string) {
	t.Helper()
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	must(t, err)
	for _, page := range append(pages, filepath.Join("..", "..", "README.md")) {
		content, err := os.ReadFile(page)
		must(t, err)
		for _, block := range blocksOf(string(content), "sh|bash|console") {
			for line := range strings.Lines(strings.ReplaceAll(block, "\\\n", " ")) {
				line = redirection.ReplaceAllString(comment.ReplaceAllString(strings.TrimSpace(line), ""), "")
				if line != "" && !slices.Contains(lines, line) {
					lines = append(lines, line)
				}
			}
		}
	}
	if len(lines) < 80 {
		t.Errorf("only %d lines were found", len(lines))
	}
	return lines
}
