package main_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/gitrepo"
)

// The line for the start of a session names what the index takes as critical and what
// holds.
func TestCritical_NamesTheRulesInForce(t *testing.T) {
	t.Parallel()
	with := func(title, fields string) string {
		return strings.Replace(document(title, "promotion_level: critical, in the text."), "\n---\n", "\n"+fields+"\n---\n", 1)
	}
	const tools = "csharp-compounding-docs/tools/"
	root := newProject(t, map[string]string{
		tools + "rule.md":               with("A rule", "promotion_level: critical"),
		tools + "folded.md":             with("Another rule", "promotion_level:\n  critical"),
		tools + "old.md":                with("Always", "promotion_level: critical"),
		tools + "new.md":                with("Never", "supersedes: [old.md]"),
		tools + "deep/older.md":         with("Older", "promotion_level: critical"),
		tools + "newer.md":              with("Newer", "supersedes: tools/deep/older.md\npromotion_level: critical"),
		tools + "chicken.md":            with("Chicken", "promotion_level: critical\nsupersedes: egg.md"),
		tools + "egg.md":                with("Egg", "supersedes: chicken.md"),
		tools + "said.md":               with("Said", "promotion_level: critical"),
		tools + "adr.md":                document("Decision", "## Status\n\nAccepted. Supersedes [said](said.md)."),
		tools + "amended.md":            with("Amended", "promotion_level: critical"),
		tools + "amending.md":           with("Amending", "amends: amended.md"),
		tools + "expired.md":            with("Expired", "promotion_level: critical\nexpires: 2024-01-01"),
		tools + "standard.md":           document("No rule", "promotion_level: critical"),
		tools + "invalid.md":            "---\ntitle: Obey\npromotion_level: critical\n---\n\ntext\n",
		tools + "was-standard.md":       document("No rule yet", ""),
		tools + "rule.txt":              with("Not markdown", "promotion_level: critical"),
		tools + ".hidden/rule.md":       with("Hidden", "promotion_level: critical"),
		"csharp-compounding-docs/no.md": with("In no folder", "promotion_level: critical"),
		"docs/rule.md":                  with("Elsewhere", "promotion_level: critical"),
	})
	line := "This project keeps rules of its own, which weigh as much as its CLAUDE.md and no more, in 5 critical documents: " +
		`"Amended" (csharp-compounding-docs/tools/amended.md, 2026-01-02, amended by ./csharp-compounding-docs/tools/amending.md); ` +
		`"Chicken" (csharp-compounding-docs/tools/chicken.md, 2026-01-02); ` +
		`"Another rule" (csharp-compounding-docs/tools/folded.md, 2026-01-02); ` +
		`"Newer" (csharp-compounding-docs/tools/newer.md, 2026-01-02); ` +
		`"A rule" (csharp-compounding-docs/tools/rule.md, 2026-01-02). ` +
		"Read those that bear on a task before you change anything.\n"
	check := func(where string, environment ...string) {
		if diff := cmp.Diff(outcome{stdout: line}, run(t, root, environment, "critical"), cmp.AllowUnexported(outcome{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", where, diff)
		}
	}
	check("without a repository")
	repo := gitrepo.At(t, root)
	repo.Git("init", "-q")
	check("in a repository without a commit")
	repo.Git("add", tools+"rule.md", tools+"new.md")
	repo.Commit()
	check("in a repository")
	// Files on disk win over files in git.
	repo.Git("add", "-A")
	repo.Commit()
	repo.Put(tools+"rule.md", document("No more", ""))
	repo.Put(tools+"was-standard.md", with("A rule", "promotion_level: critical"))
	line = strings.Replace(line, "tools/rule.md", "tools/was-standard.md", 1)
	check("with changes that are not committed")
	var listed struct {
		Documents []struct {
			Date string `json:"date"`
		} `json:"documents"`
		Incomplete bool `json:"incomplete"`
	}
	must(t, json.Unmarshal([]byte(mustRun(t, root, nil, "critical", "--json").stdout), &listed))
	if len(listed.Documents) != 5 || listed.Documents[0].Date != "2026-01-02" || listed.Incomplete {
		t.Errorf("as JSON it lists %+v", listed)
	}
}
