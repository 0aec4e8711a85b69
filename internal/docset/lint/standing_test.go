package lint_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/gitrepo"
)

// adr returns a decision as adr-tools writes it, with the text of its status.
func adr(title, status string) string {
	return "# " + title + "\n\nDate: 2024-05-01\n\n## Status\n\n" + status + "\n\n## Decision\n\nWe decide " + title + ".\n"
}

func TestRun_FindsWhatDoesNotHold(t *testing.T) {
	t.Parallel()
	const circle = " error supersession-cycle: documents supersede each other in a circle, so none replaces another; " +
		"remove one `supersedes` or `superseded by`"
	for _, test := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"decisions that name each other", map[string]string{
			"0001-a.md": adr("A", "Superseded by [2. B](0002-b.md)"), "0002-b.md": adr("B", "Accepted\n\nSupersedes [1. A](0001-a.md)"),
		}, []string{}},
		{"one that the older does not name", map[string]string{
			"0001-a.md": adr("A", "Accepted"), "0002-b.md": adr("B", "Accepted\n\nSupersedes [1. A](0001-a.md)"),
		}, []string{"docs/adr/0001-a.md:5: notice unmarked: docs/adr/0002-b.md supersedes it, and it does not say so; " +
			"add the line `status: superseded by 0002-b.md` to its front matter"}},
		{"a status without a successor", map[string]string{
			"0001-a.md": "---\nstatus: superseded\n---\n# A\n\nSee [b](0002-b.md).\n", "0002-b.md": "# B\n\nSee [a](0001-a.md).\n",
		}, []string{"docs/adr/0001-a.md:2: warning no-successor: its status says superseded, and no document is known that supersedes it; " +
			"write `status: superseded by` and its path"}},
		{"successors that are nowhere", map[string]string{
			"0001-a.md": "---\nstatus: superseded by ADR-0099\n---\n# A\n\nSee [b](0002-b.md).\n",
			"0002-b.md": adr("B", "Superseded by [gone](0098-gone.md)\n\nAmended by [[a page]]. See [a](0001-a.md)."),
		}, []string{
			"docs/adr/0001-a.md:2: warning broken-link: there is no decision 99 in docs/adr/; name the document by its path",
			"docs/adr/0002-b.md:7: error broken-link: there is no docs/adr/0098-gone.md",
			"docs/adr/0002-b.md:9: warning broken-link: there is no a page.md in any folder of the documents",
		}},
		{"one number twice", map[string]string{
			"0001-a.md": adr("1. A", "Superseded by ADR-0002") + "\nSee [b](0002-b.md) and [d](0003-d.md).\n",
			"0002-b.md": adr("2. B", "Accepted. Supersedes ADR-1"), "0002-c.md": adr("2. C", "Accepted. See [a](0001-a.md)"),
			"0003-d.md": adr("3. D", "Amends ADR 2"), "0003-d.de.md": adr("3. D", "Amends [b](0002-b.md)"),
		}, []string{
			"docs/adr/0001-a.md:5: error ambiguous-number: docs/adr/0002-b.md and docs/adr/0002-c.md have the number 2; name the document by its path",
			"docs/adr/0002-c.md:1: error ambiguous-number: docs/adr/0002-b.md has the same number, so neither can be named by it; give one another number",
			"docs/adr/0003-d.md:5: error ambiguous-number: docs/adr/0002-b.md and docs/adr/0002-c.md have the number 2; name the document by its path",
		}},
		{"a circle of statuses", map[string]string{
			"0001-a.md": adr("A", "Superseded by ADR-2"), "0002-b.md": "---\nsuperseded_by: 0001-a.md\n---\n# B\n",
		}, []string{"docs/adr/0001-a.md:5:" + circle, "docs/adr/0002-b.md:2:" + circle}},
		{"two successors", map[string]string{
			"0001-a.md": adr("A", "Superseded by [2](0002-b.md)"), "0002-b.md": adr("B", "Accepted"),
			"0003-c.md": "---\nsupersedes: 0001-a.md\n---\n# C\n",
		}, []string{"docs/adr/0001-a.md:5: notice two-successors: docs/adr/0002-b.md and docs/adr/0003-c.md supersede it, " +
			"and only docs/adr/0002-b.md is named as its successor; let one of them supersede the other"}},
		{"successors of which one replaces the other", map[string]string{
			"0001-a.md": adr("A", "Superseded by [2](0002-b.md)"), "0002-b.md": adr("B", "Superseded by ADR-0003"),
			"0003-c.md": "---\nsupersedes: [0001-a.md, 0002-b.md]\n---\n# C\n",
		}, []string{}},
		{"rules that do not hold", map[string]string{
			"a.md": "---\npromotion_level: critical\nexpires: 2024-01-01\nquestions: [Why?]\n---\n# A\n\nSee [b](b.md).\n",
			"b.md": "---\npromotion_level: critical\nstatus: rejected\n---\n# B\n\nSee [a](a.md).\n",
		}, []string{
			"docs/adr/a.md:2: warning superseded-rule: it expired 2024-01-01, so it is no rule any more; remove its promotion_level, or give it a later day",
			"docs/adr/b.md:2: warning superseded-rule: its status is rejected, so it is no rule any more; remove its promotion_level",
		}},
		{"words that are not known", map[string]string{
			"a.md": "---\nstatus: Simmering\n---\n# A\n\nSee [b](b.md) and [c](c.md).\n",
			"b.md": adr("B", "simmering\n\nSee [a](a.md) and [c](c.md)."), "c.md": adr("C", "simmering") + "\nSee [a](a.md) and [b](b.md).\n",
		}, []string{
			"docs/adr/a.md:2: notice unknown-status: the status \"Simmering\" (also in 1 more) is not known, and counts as active; " +
				"known are accepted, proposed, rejected, deprecated, and superseded by another document",
			"docs/adr/b.md:5: notice unknown-status: the status \"simmering See [a](a.md) and [c](c.md).\" is not known, and counts as active; " +
				"known are accepted, proposed, rejected, deprecated, and superseded by another document",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			repo := gitrepo.New(t)
			repo.Put(config, `{"project_name": "decisions", "documents": {"folders": ["docs/adr"]}}`)
			for name, content := range test.files {
				repo.Put("docs/adr/"+name, content)
			}
			isSchema := func(line string) bool { return strings.Contains(line, " front-matter: ") }
			if diff := cmp.Diff(test.want, slices.DeleteFunc(check(t, repo.Root), isSchema)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
