package lint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/gitrepo"
)

// A project whose documents are elsewhere would be green for ever.
func TestRun_WarnsOfNoDocuments(t *testing.T) {
	t.Parallel()
	repo := gitrepo.New(t)
	repo.Put(config, `{"project_name": "empty"}`)
	if err := os.MkdirAll(filepath.Join(repo.Root, docs), 0o755); err != nil {
		t.Fatal(err)
	}
	want := []string{"csharp-compounding-docs:1: warning no-documents: nothing was checked: there is no document here"}
	if diff := cmp.Diff(want, check(t, repo.Root)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	repo.Put(config, `{"project_name": "empty", "external_docs": {"path": "docs"}}`)
	repo.Put("docs/guide.md", "# Guide\n")
	want[0] += "; the external docs (docs) are not checked: if documents of your own are among them, name their folder in documents.folder"
	if diff := cmp.Diff(want, check(t, repo.Root)); diff != "" {
		t.Errorf("findings with external docs (-want +got):\n%s", diff)
	}
}

// planted is a repository with three documents in which nothing is wrong.
func planted(t *testing.T) *gitrepo.Repo {
	t.Helper()
	repo := gitrepo.New(t)
	repo.Git("init", "-q", "-b", "main")
	repo.Put(config, `{"project_name": "planted"}`)
	repo.Put("src/pool.go", "package src\n")
	repo.Put("src/old.go", "package old\n")
	repo.Put(docs+"insights/a.md", insight("a", "", "See [b](b.md) and [c](../codebase/c.md)."))
	repo.Put(docs+"insights/b.md", insight("b", "", prose+" See [a](a.md) and [the pool](../../src/pool.go)."))
	repo.Put(docs+"codebase/c.md", codebase("src/pool.go"))
	commit(repo, "2026-01-02")
	return repo
}

// source is a file of 30 different lines behind some blank ones. The twentieth has a comment.
func source(blank int, comment string) string {
	var b strings.Builder
	b.WriteString(strings.Repeat("\n", blank))
	for i := range 30 {
		fmt.Fprintf(&b, "var line%d = %d", i+1, i*i)
		if i+1 == 20 {
			b.WriteString(" // " + comment)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func commit(repo *gitrepo.Repo, date string) {
	repo.Git("add", "-A")
	repo.Git("commit", "-q", "-m", "work", "--date", date+"T12:00:00Z")
}

func TestRun_FindsPlantedFaults(t *testing.T) {
	t.Parallel()
	for _, fault := range []struct {
		name  string
		plant func(r *gitrepo.Repo)
		want  []string
	}{
		{"nothing", func(*gitrepo.Repo) {}, []string{}},
		{"a value that the schema does not allow", func(r *gitrepo.Repo) {
			r.Put(docs+"insights/b.md", strings.Replace(r.Read(docs+"insights/b.md"), "behavioral", "vital", 1))
		}, []string{
			`insights/b.md:6: error schema: significance is "vital" (expected: one of architectural, behavioral, performance, correctness, convention, integration)`,
		}},
		{"a missing field", func(r *gitrepo.Repo) {
			r.Put(docs+"insights/d.md", strings.Replace(insight("d", "", "x"), "title: d\n", "", 1))
		}, []string{"insights/d.md:1: error schema: title is missing (expected: text)"}},
		{"YAML that is none", func(r *gitrepo.Repo) {
			r.Put(docs+"insights/d.md", insight("d", "tags: [a\n", "x"))
		}, []string{`insights/d.md:9: error schema: the front matter is not valid YAML: did not find expected ',' or ']'`}},
		{"a folder without a doc-type", func(r *gitrepo.Repo) {
			r.Put(docs+"misc/d.md", insight("d", "", "x"))
		}, []string{"misc/d.md:1: error schema: the folder of " + docs + "misc/d.md belongs to no doc-type; move it to the folder of one, " +
			"or add a custom_doc_types entry for the folder to the config"}},
		{"a text that is not UTF-8", func(r *gitrepo.Repo) {
			r.Put(docs+"insights/d.md", insight("d", "", "\xff"))
		}, []string{"insights/d.md:10: error schema: is not valid UTF-8 (byte 0xff); save the file as UTF-8 text"}},
		{"a lenient text in Latin-1", func(r *gitrepo.Repo) {
			r.Put(config, `{"project_name": "planted", "documents": {"folders": ["docs"]}}`)
			r.Put("docs/d.md", "# Caf\xe9\n\nText.\n")
		}, []string{
			"docs/d.md:1: warning encoding: is not UTF-8: words with other letters than a to z are not found; save it with the encoding UTF-8",
			"docs/d.md:1: notice orphan: no document links to it, and it links to none",
		}},
		{"a template", func(r *gitrepo.Repo) {
			r.Put(docs+"insights/new.md", insight("'{{title}}'", "", "x"))
		}, []string{`insights/new.md:1: notice left-out: is left out: its title, "{{title}}", is that of a template`}},
		{"a link that leads nowhere", func(r *gitrepo.Repo) {
			r.Put(docs+"insights/a.md", r.Read(docs+"insights/a.md")+"\n[gone](gone%20file.md#x)\n")
		}, []string{"insights/a.md:12: error broken-link: there is no " + docs + "insights/gone file.md"}},
		{"a wikilink that leads nowhere", func(r *gitrepo.Repo) {
			r.Put(docs+"insights/a.md", r.Read(docs+"insights/a.md")+"\n[[insights/B|text]] and [[gone page#x#y]], ![[x.png]]\n")
		}, []string{"insights/a.md:12: warning broken-link: there is no gone page.md in any folder of the documents"}},
		{"a wikilink in another case", func(r *gitrepo.Repo) {
			r.Put(docs+"insights/d.md", insight("d", "", "Nothing else.\n\nSee [[C]]."))
		}, []string{}},
		{"related_docs that lead nowhere", func(r *gitrepo.Repo) {
			r.Put(docs+"insights/b.md", insight("b", "related_docs:\n  - a.md\n  - tools/gone.md\n", "See [a](a.md)."))
		}, []string{"insights/b.md:11: error broken-link: there is no " + docs + "insights/tools/gone.md"}},
		{"a superseded document that is not there", func(r *gitrepo.Repo) {
			r.Put(docs+"insights/b.md", insight("b", "supersedes: older.md\n", "See [a](a.md)."))
		}, []string{"insights/b.md:9: error broken-link: there is no " + docs + "insights/older.md"}},
		{"documents that supersede each other", func(r *gitrepo.Repo) {
			r.Put(docs+"insights/a.md", insight("a", "supersedes: b.md\n", "See [b](b.md) and [c](../codebase/c.md)."))
			r.Put(docs+"insights/b.md", insight("b", "supersedes: a.md\n", prose+" See [a](a.md) and [the pool](../../src/pool.go)."))
		}, []string{
			"insights/a.md:9: error supersession-cycle: documents supersede each other in a circle, so none replaces another; remove one `supersedes` or `superseded by`",
			"insights/b.md:9: error supersession-cycle: documents supersede each other in a circle, so none replaces another; remove one `supersedes` or `superseded by`",
		}},
		{"a rule that is superseded", func(r *gitrepo.Repo) {
			r.Put(docs+"insights/a.md", insight("a", "promotion_level: critical\n", "See [b](b.md) and [c](../codebase/c.md)."))
			r.Put(docs+"insights/b.md", insight("b", "supersedes: a.md\n", prose+" See [a](a.md) and [the pool](../../src/pool.go)."))
		}, []string{
			"insights/a.md:1: notice unmarked: " + docs + "insights/b.md supersedes it, and it does not say so; " +
				"add the line `status: superseded by b.md` to its front matter",
			"insights/a.md:9: warning superseded-rule: " + docs +
				"insights/b.md supersedes it, so it is no rule any more; remove its promotion_level, and make that one critical if it is a rule",
		}},
		{"a document without links", func(r *gitrepo.Repo) {
			r.Put(docs+"insights/d.md", insight("d", "", "x"))
		}, []string{"insights/d.md:1: notice orphan: no document links to it, and it links to none"}},
		{"a file that was removed", func(r *gitrepo.Repo) {
			r.Put(docs+"codebase/c.md", codebase("src/old.go:12"))
			commit(r, "2026-02-02")
			r.Remove("src/old.go")
			commit(r, "2026-02-03")
		}, []string{"codebase/c.md:10: warning place-gone: src/old.go:12 is gone since the document was written"}},
		{"a file that was moved", func(r *gitrepo.Repo) {
			r.Put(docs+"codebase/c.md", codebase("./src/old.go"))
			commit(r, "2026-02-02")
			r.Rename("src/old.go", "lib/old.go")
			commit(r, "2026-02-03")
		}, []string{"codebase/c.md:10: warning place-moved: src/old.go is now lib/old.go"}},
		{"a file that was never there", func(r *gitrepo.Repo) {
			r.Put(docs+"codebase/c.md", codebase("src/never.go")+"\nNor `src/neither.go:3`.\n")
			commit(r, "2026-02-03")
		}, []string{"codebase/c.md:10: notice place-unknown: src/never.go cannot be compared: it was not there when the document was written, or the file is too large or hard to find"}},
		{"a file that was changed since", func(r *gitrepo.Repo) {
			r.Put("src/pool.go", "package src // changed\n")
		}, []string{
			"codebase/c.md:10: warning place-changed: src/pool.go has changed since the document was written; " +
				"see whether the document still holds, and correct it or its citation",
			"insights/b.md:10: warning place-changed: src/pool.go has changed since the document was written; " +
				"see whether the document still holds, and correct it or its citation",
		}},
		{"lines that moved, and lines that changed", func(r *gitrepo.Repo) {
			r.Put("src/pool.go", source(0, ""))
			r.Put(docs+"insights/b.md", insight("b", "", "At `src/pool.go:11-12` and src/pool.go:20. See [a](a.md)."))
			commit(r, "2026-02-02")
			r.Put("src/pool.go", source(3, "changed"))
		}, []string{
			"codebase/c.md:10: warning place-changed: src/pool.go has changed since the document was written; " +
				"see whether the document still holds, and correct it or its citation",
			"insights/b.md:10: warning place-changed: src/pool.go:20 has changed since the document was written; " +
				"see whether the document still holds, and correct it or its citation",
			"insights/b.md:10: notice place-moved: src/pool.go:11-12 is now src/pool.go:14-15",
		}},
		{"a document that was corrected since", func(r *gitrepo.Repo) {
			r.Put("src/pool.go", "package src // changed\n")
			commit(r, "2026-02-03")
			r.Put(docs+"insights/b.md", strings.Replace(r.Read(docs+"insights/b.md"), "date: 2026-", "date: 2027-", 1))
			r.Put(docs+"codebase/c.md", strings.Replace(r.Read(docs+"codebase/c.md"), "src/pool.go", "./src/pool.go", 1))
		}, []string{}},
		{"a document in which something else was corrected since", func(r *gitrepo.Repo) {
			r.Put("src/pool.go", "package src // changed\n")
			commit(r, "2026-02-03")
			r.Put(docs+"codebase/c.md", r.Read(docs+"codebase/c.md")+"\nQuick brown foxes.\n")
			commit(r, "2026-02-04")
			r.Put(docs+"insights/b.md", r.Read(docs+"insights/b.md")+"\nSeen again.\n")
		}, []string{
			"codebase/c.md:10: warning place-changed: src/pool.go has changed since the document was written; " +
				"see whether the document still holds, and correct it or its citation",
			"insights/b.md:10: warning place-changed: src/pool.go has changed since the document was written; " +
				"see whether the document still holds, and correct it or its citation",
		}},
		{"front matter that a lenient project ignores", func(r *gitrepo.Repo) {
			r.Put(config, `{"project_name": "planted", "documents": {"lenient": true}}`)
			r.Put(docs+"insights/a.md", insight("a", "confidence: sure\n", "See [b](b.md) and [c](../codebase/c.md)."))
		}, []string{"insights/a.md:9: warning front-matter: confidence is \"sure\" (expected: one of verified, hypothesis, observation)"}},
		{"values outside the profile that a document's fields show", func(r *gitrepo.Repo) {
			r.Put(config, `{"project_name": "planted", "documents": {"lenient": true}}`)
			r.Put(docs+"insights/a.md", learning("problem_type: design_pattern\nseverity: process\nmodule: skills/ce-work\ncomponent: tooling\n"))
		}, []string{"insights/a.md:4: notice front-matter: severity is \"process\" (expected: one of critical, high, medium, low)"}},
		{"fields of no profile", func(r *gitrepo.Repo) {
			r.Put(config, `{"project_name": "planted", "documents": {"lenient": true}}`)
			r.Put(docs+"insights/a.md", insight("a", "module: pool\nconfidence: sure\n", "See [b](b.md) and [c](../codebase/c.md)."))
		}, []string{"insights/a.md:10: warning front-matter: confidence is \"sure\" (expected: one of verified, hypothesis, observation)"}},
		{"a document without the fields of the profile that is configured", func(r *gitrepo.Repo) {
			r.Put(config, `{"project_name": "planted", "profile": "compound-engineering"}`)
			r.Put(docs+"insights/a.md", learning("problem_type: convention\nmodule: skills\ncomponent: tooling\n"))
		}, []string{"insights/a.md:1: notice front-matter: severity is missing (expected: one of critical, high, medium, low)"}},
		{"links from the root of a site", func(r *gitrepo.Repo) {
			r.Put(config, `{"project_name": "planted", "documents": {"link_root": "`+strings.TrimSuffix(docs, "/")+`"}}`)
			r.Put(docs+"insights/a.md", insight("a", "", "See [b](/insights/b.md#none), [c](/codebase/c.md) and [d](/gone.md)."))
		}, []string{
			"insights/a.md:10: error broken-link: there is no " + docs + "gone.md",
			"insights/a.md:10: warning broken-link: there is no heading #none in " + docs + "insights/b.md",
		}},
		{"triggers and scopes", func(r *gitrepo.Repo) {
			r.Put("Makefile", "ship:\n\thelm upgrade shop\n")
			r.Put(docs+"insights/a.md", strings.Replace(insight("a", "", "See [b](b.md)."), "---\n",
				"---\ntriggers:\n  - run: helm upgrade\n  - run: helm rollback\n  - runs: helm\n  - edit: scr/**\n  - run: helm\n"+
					"  - edit: \"**\"\n  - fails: error\n  - fails: [x, boom on line 12]\n  - run:\ntrigger: a\n", 1))
			r.Commit()
		}, []string{
			"insights/a.md:2: warning dead-pattern: scr/** matches no file of the repository",
			"insights/a.md:2: warning trigger: trigger edit ** fires on each edit: name a folder, a kind of file, or what the edit writes",
			"insights/a.md:2: warning trigger: trigger fails error fires on most failures: quote more of the message than error",
			"insights/a.md:2: warning trigger: trigger fails x | boom on line 12 fires on most failures: quote more of the message than x",
			"insights/a.md:2: warning trigger: trigger run helm fires on a command of the project itself, Makefile:2",
			"insights/a.md:2: warning trigger: trigger run helm is a program alone, and fires on each call of helm: add words, with or without",
			"insights/a.md:2: warning trigger: trigger run helm upgrade fires on a command of the project itself, Makefile:2",
			"insights/a.md:5: error trigger: triggers[2].runs is unknown (expected: run, edit or fails, with, without, bare, writes, removes, new, say)",
			"insights/a.md:11: error trigger: triggers[8].run is empty (expected: a text, or a list of texts, each of which may match)",
			"insights/a.md:12: warning front-matter: trigger is unknown (expected: triggers)",
		}},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			repo := planted(t)
			fault.plant(repo)
			if diff := cmp.Diff(fault.want, check(t, repo.Root)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A shallow clone seems to have added every file with its oldest commit.
func TestRun_ShallowCloneClaimsNoChange(t *testing.T) {
	t.Parallel()
	repo := planted(t)
	repo.Put("src/pool.go", "package src // changed\n")
	commit(repo, "2026-02-03")
	clone := gitrepo.New(t)
	clone.Git("clone", "-q", "--depth", "1", "file://"+repo.Root, "clone")
	report := run(t, clone.Path("clone"))
	if len(report.Findings) > 0 || len(report.Notes) != 1 || !strings.Contains(report.Notes[0], "fetch-depth: 0") {
		t.Errorf("findings %v, notes %q", report.Findings, report.Notes)
	}
}
