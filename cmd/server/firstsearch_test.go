package main_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/test/gitrepo"
)

// After init alone, each plain question finds its decision record first, by words and without a flag.
func TestInit_FirstSearchFindsDecisions(t *testing.T) {
	t.Parallel()
	repo := gitrepo.New(t)
	for i, record := range []string{
		"Use PostgreSQL for orders\n\nWe need transactions over several tables. MySQL was slower at our reports, so orders are kept in PostgreSQL.",
		"Retry with exponential backoff\n\nCalls of the payment provider fail at times. We repeat them at most five times, and wait twice as long each time.",
		"Log as JSON\n\nGrep is not enough in production. Each line of a log is a JSON object with a trace number.",
		"Feature flags live in the database\n\nA deployment must not be needed to turn a feature off. Flags are rows that the service reads every minute.",
		"Sessions in Redis\n\nUsers were logged out at each deployment. Sessions are kept in Redis for a day, outside of the processes.",
	} {
		repo.Put(fmt.Sprintf("docs/adr/%04d.md", i+1), fmt.Sprintf("# %d. %s\n", i+1, record))
	}
	repo.Git("init", "-q", "-b", "main")
	repo.Git("add", "-A")
	repo.Git("commit", "-q", "-m", "work")
	environment, _ := services(t)
	environment = append(environment, "CLAUDE_CONFIG_DIR="+t.TempDir(), "CDOCS_OLLAMA_HOST=http://127.0.0.1:1")
	said := mustRun(t, repo.Root, append(environment, "PATH="+t.TempDir()), "init", "--yes").stdout
	if !strings.Contains(said, "documents: 5 markdown files in the whole repository\n") {
		t.Errorf("init says %s", said)
	}
	for question, want := range map[string]string{
		"which database do we use for orders":  "0001.md",
		"how often do we repeat payment calls": "0002.md",
		"what format do our logs have":         "0003.md",
		"how do I turn a feature off":          "0004.md",
		"why are users logged out":             "0005.md",
		"where are sessions kept":              "0005.md",
		"why not MySQL":                        "0001.md",
	} {
		out := mustRun(t, repo.Root, environment, "search", question).stdout
		if _, place, _ := strings.Cut(out, "./docs/adr/"); !strings.HasPrefix(place, want) {
			t.Errorf("%q finds\n%s", question, out)
		}
	}
	if out := mustRun(t, repo.Root, environment, "search", "zeppelins").stdout; out != "Nothing found.\n" {
		t.Errorf("a search for nothing says %q", out)
	}
}

// A repository without docs/ has its markdown as documents, and those that are written later belong to them.
func TestInit_TakesLooseMarkdown(t *testing.T) {
	t.Parallel()
	for marker, want := range map[string]string{
		"README.md": "documents: 2 markdown files in the whole repository\n", ".obsidian/app.json": "documents: 1 markdown file in the whole repository\n",
	} {
		repo := gitrepo.New(t)
		repo.Put("Ideas.md", "# Ideas\n\nKeep the boat dry.\n")
		repo.Put(marker, "# About\n")
		environment, _ := services(t)
		environment = append(environment, "CLAUDE_CONFIG_DIR="+t.TempDir(), "CDOCS_OLLAMA_HOST=http://127.0.0.1:1")
		repo.Git("init", "-q", "-b", "main")
		said := mustRun(t, repo.Root, append(environment, "PATH="+t.TempDir()), "init", "--yes").stdout
		if !strings.Contains(said, want) || strings.Contains(said, "{") {
			t.Errorf("init says %s", said)
		}
		repo.Put("csharp-compounding-docs/insights/sails.md", "# Sails\n\nDry the sails before you fold them.\n")
		for question, path := range map[string]string{"keep the boat dry": "./Ideas.md", "fold the sails": "/sails.md"} {
			if out := mustRun(t, repo.Root, environment, "search", question).stdout; !strings.Contains(out, path) {
				t.Errorf("%q finds %s", question, out)
			}
		}
	}
}
