package said_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/said"
)

func TestStatus(t *testing.T) {
	t.Parallel()
	by := func(destination string) []said.NamedRelation {
		return []said.NamedRelation{{Relation: said.SupersededBy, Destination: destination}}
	}
	for _, test := range []struct {
		name, text string
		want       said.Status
	}{
		{"nothing", "# Cache\n\nThe status of the cache is kept.\n", said.Status{}},
		{"adr-tools", "# 2. Cache\n\nDate: 2024-05-01\n\n## Status\n\nAccepted\n\n## Context\n\nRejected ideas.\n", said.Status{Word: "active"}},
		{"adr-tools, superseded", "# 2. Cache\n\n## Status\n\nSuperceded by [7. No cache](0007-no-cache.md)\n\n## Context\n", said.Status{Word: "superseded", Relations: by("0007-no-cache.md")}},
		{"adr-tools, amended", "# 2. Cache\n\n## Status\n\nAccepted\n\nAmended by [9. Larger](0009-larger.md)\n", said.Status{
			Word: "active", Relations: []said.NamedRelation{{Relation: said.AmendedBy, Destination: "0009-larger.md"}},
		}},
		{"adr-tools, clarifies", "# 9. Larger\n\n## Status\n\nAccepted\n\nClarifies [2. Cache](0002-cache.md)\n", said.Status{
			Word: "active", Relations: []said.NamedRelation{{Relation: said.Amends, Destination: "0002-cache.md"}},
		}},
		{"MADR 2", "# Cache\n\n* Status: superseded by [ADR-0012](0012-x.md)\n* Deciders: Ann\n\n## Context\n", said.Status{Word: "superseded", Relations: by("0012-x.md")}},
		{"MADR 3, front matter", "---\nstatus: superseded by [ADR-0012](0012-x.md)\n---\n# Cache\n", said.Status{Word: "superseded", Relations: by("0012-x.md")}},
		{"MADR 4, a number", "---\nstatus: \"superseded by ADR-0012\"\n---\n# Cache\n", said.Status{Word: "superseded", Relations: by("#12")}},
		{"log4brains", "# Cache\n\n- Status: accepted [2024-05-01]\n- Date: 2024-05-01\n", said.Status{Word: "active"}},
		{"bold", "# Cache\n\n**Status:** Rejected\n", said.Status{Word: "rejected"}},
		{"a table", "# Cache\n\n| Status | Deprecated |\n|---|---|\n", said.Status{Word: "deprecated"}},
		{"a table, and a section about something else", "# Cache\n\n| Status | Deprecated |\n|---|---|\n\n## Design\n\n### Status\n\nThe state of the whole cache.\n", said.Status{Word: "deprecated"}},
		{"a table that names the successor", "# Cache\n\n|Metadata|Value|\n|---|---|\n|Status|Implemented|\n|Superseded by|[ADR-60](ADR-60.md)|\n", said.Status{Word: "active", Relations: by("ADR-60.md")}},
		{"a line that names the successor", "# Cache\n\n- Status: Implemented\n- Superseded by: [ADR-60](ADR-60.md)\n", said.Status{Word: "active", Relations: by("ADR-60.md")}},
		{"struck out", "# Cache\n\nStatus: ~~accepted~~ withdrawn\n", said.Status{Word: "rejected"}},
		{"not accepted", "# Cache\n\n## Status\n\nNot accepted.\n", said.Status{Word: "rejected"}},
		{"accepted, and replaces another", "# Cache\n\n## Status\n\nAccepted, supersedes [ADR 3](0003-y.md)\n", said.Status{
			Word: "active", Relations: []said.NamedRelation{{Relation: said.Supersedes, Destination: "0003-y.md"}},
		}},
		{"draft", "---\ndraft: true\n---\n# Cache\n", said.Status{Word: "proposed"}},
		{"archived", "---\narchived: true\n---\n# Cache\n", said.Status{Word: "deprecated"}},
		{"a list", "---\nstatus: [accepted]\n---\n# Cache\n", said.Status{Word: "active"}},
		{"a mapping", "---\nstatus:\n  state: superseded\n  superseded_by: new.md\n---\n# Cache\n", said.Status{
			Word: "superseded", Relations: []said.NamedRelation{{Relation: said.SupersededBy, Destination: "new.md", Bare: true}},
		}},
		{"a tag of Obsidian", "---\ntags: [db, \"#status/rejected\"]\n---\n# Cache\n", said.Status{Word: "rejected"}},
		{"a wikilink", "---\nstatus: superseded by [[No cache]]\n---\n# Cache\n", said.Status{Word: "superseded", Relations: by("**/No cache.md")}},
		{"an expiry", "---\nexpires: 2026-01-31\n---\n# Cache\n", said.Status{Until: "2026-01-31"}},
		{"the Open Knowledge Format", "---\nstale_after: 2026-02-01\n---\n# Cache\n", said.Status{Until: "2026-02-01"}},
		{"of a proposal for Ethereum", "---\nstatus: Last Call\n---\n# Cache\n", said.Status{Word: "proposed"}},
		{"another", "---\nstatus: Moved\n---\n# Cache\n", said.Status{Word: "deprecated"}},
		{"a decision that was taken back", "# Cache\n\n## Status\n\nReverted by [a talk](https://example.org/1).\n", said.Status{Word: "deprecated"}},
		{"a word that tells nothing in a sentence", "# Cache\n\n## Status\n\nIt moved to the new host, and is open to all.\n", said.Status{
			Unknown: "It moved to the new host, and is open to all.",
		}},
		{"of a proposal for NEAR", "---\nstatus: Final\nSupersededBy: 141\n---\n# Cache\n", said.Status{
			Word: "active", Relations: by("#141"),
		}},
		{"a table of versions, and a part that is replaced", "# Snapshots\n\n## Status\n\n" +
			"Status | From | To\n--|--|--\nBeta | 1.17 | -\n\n" +
			"**Important**: the logic for checks has been replaced by rules. The webhook is deprecated.\n", said.Status{}},
		{"a table in its section", "# Cache\n\n## Status\n\n| Status | Date |\n|---|---|\n| Rejected | 2024-05-01 |\n", said.Status{Word: "rejected"}},
		{"a part that is replaced", "# Cache\n\n## Status\n\nAccepted. The old flag was replaced by [a new one](flags.md).\n", said.Status{Word: "active"}},
		{"the document as the subject", "# Cache\n\n## Status\n\nSince May the decision is superseded by [No cache](no.md).\n", said.Status{
			Word: "superseded", Relations: by("no.md"),
		}},
		{"an unknown word", "---\nstatus: blue\n---\n# Cache\n", said.Status{Unknown: "blue"}},
		{"a numbered heading", "# Cache\n\n## 1. Status\n\nProposed\n", said.Status{Word: "proposed"}},
		{"decision 0", "# Cache\n\n## Status\n\nSuperseded by ADR-0000\n", said.Status{Word: "superseded", Relations: by("#0")}},
		{"decision 0 in front matter", "---\nsuperseded-by: 0\n---\n# Cache\n", said.Status{Word: "superseded", Relations: by("#0")}},
		{"an underlined heading", "Cache\n=====\n\nStatus\n------\n\nDeprecated\n", said.Status{Word: "deprecated"}},
		{"a header of a proposal for Bitcoin", "```\n  BIP: 380\n  Status: Draft\n  Created: 2021-06-27\n```\n\n## Abstract\n", said.Status{Word: "proposed"}},
		{"an indented example", "# How to retire a page\n\nWrite:\n\n    title: a\n\n    status: deprecated\n\nIt is done.\n", said.Status{}},
		{"an example with a tab", "# How to retire a page\n\n\tstatus: deprecated\n", said.Status{}},
		{"a list in a list", "# A\n\n- Record:\n\n    Status: deprecated\n", said.Status{Word: "deprecated"}},
		{"a paragraph that goes on", "# A\n\nThis record:\n    Status: deprecated\n", said.Status{Word: "deprecated"}},
		{"a line behind an indented block", "# A\n\n    Text.\nStatus: deprecated\n", said.Status{Word: "deprecated"}},
		{"an indented block of fields", "    Title: A\n    Status: Rejected\n\n# A\n", said.Status{Word: "rejected"}},
		{"an example", "# How to retire a page\n\nWrite:\n\n```yaml\nstatus: deprecated\n```\n", said.Status{}},
		{"in the title", "# [Superseded] Cache\n", said.Status{Word: "superseded"}},
		{"in the title, over a status that was forgotten", "# Cache [DEPRECATED]\n\nStatus: Accepted\n", said.Status{Word: "deprecated"}},
		{"in the title, with its successor", "# [Superseded by ADR-12] Cache\n", said.Status{Word: "superseded", Relations: by("#12")}},
		{"before the title", "# DEPRECATED: Cache\n", said.Status{Word: "deprecated"}},
		{"behind the title", "# Cache - obsolete\n", said.Status{Word: "deprecated"}},
		{"a title that is struck out", "# ~~Cache in Redis~~\n", said.Status{Word: "deprecated"}},
		{"a title about it", "# Obsolete caches (deprecated clients)\n", said.Status{}},
		{"a heading", "# Cache\n\n## Status: Superseded by [new](new.md)\n", said.Status{Word: "superseded", Relations: by("new.md")}},
		{"a numbered heading with the status", "# Cache\n\n## 1. Status: Superseded\n", said.Status{Word: "superseded"}},
		{"several headings", "# States\n\n## Status: replaced\n\n## Status: rejected\n", said.Status{}},
		{"emphasis", "# Cache\n\n*OUTDATED, see [new](new.md)!*\n", said.Status{Word: "superseded", Relations: by("new.md")}},
		{"a callout", "# Cache\n\n> [!IMPORTANT] Archived. Please use [new](new.md).\n", said.Status{Word: "superseded", Relations: by("new.md")}},
		{"a callout of Docusaurus", "# Cache\n\n:::caution Deprecated\n\nText.\n:::\n", said.Status{Word: "deprecated"}},
		{"a callout about something else", "# Cache\n\n:::warning\nThe option x is deprecated, see [new](new.md).\n:::\n", said.Status{}},
		{"a sentence", "# Cache\n\nThis guide is out of date.\n\n## Use\n", said.Status{Word: "deprecated"}},
		{"a sentence about something else", "# Cache\n\nDeprecated clients are refused. This option is deprecated.\n", said.Status{}},
		{"a sentence in a section", "# Cache\n\n## Use\n\nThis page is deprecated.\n", said.Status{}},
		{"German", "# Cache\n\n**Achtung:** Dieses Dokument ist veraltet, siehe [neu](neu.md).\n", said.Status{Word: "superseded", Relations: by("neu.md")}},
		{"French", "# Cache\n\nStatut : Remplacée par [neuf](neuf.md)\n", said.Status{Word: "superseded", Relations: by("neuf.md")}},
		{"Spanish", "# Cache\n\n## Estado\n\nRechazada\n", said.Status{Word: "rejected"}},
		{"a part of another", "# Cache\n\nThis ADR supersedes some aspects of [ADR-15](0015-x.md).\n", said.Status{
			Relations: []said.NamedRelation{{Relation: said.Amends, Destination: "0015-x.md"}},
		}},
		{"a part is superseded", "# Cache\n\nStatus: Accepted, partially superseded by [16](0016-x.md)\n", said.Status{
			Word: "active", Relations: []said.NamedRelation{{Relation: said.AmendedBy, Destination: "0016-x.md"}},
		}},
		{"a sentence that replaces", "# Cache\n\nReplaces the page [old](old.md).\n", said.Status{
			Relations: []said.NamedRelation{{Relation: said.Supersedes, Destination: "old.md"}},
		}},
		{"builds on another", "# Cache\n\nBuilds on [old](old.md). It extends [older](older.md).\n", said.Status{}},
		{"a quotation", "# Cache\n\nThey write:\n\n> This page is deprecated, use [new](new.md).\n", said.Status{}},
		{"an example of a sentence", "# Cache\n\nWrite for example:\n\nSuperseded by [new](new.md)\n", said.Status{}},
		{"a later line is a story", "# Cache\n\n## History\n\nStatus: rejected by the server\n", said.Status{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			doc, err := markdown.Parse([]byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			got := said.StatusOf(doc, "a.md")
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("status (-want +got):\n%s", diff)
			}
		})
	}
}

// A document cannot name relations without bound: each is compared with the others.
func TestStatus_BoundsRelations(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("ADR-1 ", 10_000)
	for name, text := range map[string]string{
		"a section":  "# A\n\n## Status\n\nSuperseded by " + many,
		"many words": "# A\n\n## Status\n\n" + strings.Repeat("Superseded by ADR-1. ", 10_000),
		"many lines": "# A\n\n" + strings.Repeat("Superseded by ADR-1.\n\n", 10_000),
		"a status":   "---\nstatus: superseded by " + many + "\n---\n# A\n",
	} {
		doc, err := markdown.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := len(said.StatusOf(doc, "a.md").Relations); got == 0 || got > 1000 {
			t.Errorf("%s names %d relations", name, got)
		}
	}
}

func TestStatus_OfPathAndForm(t *testing.T) {
	t.Parallel()
	const versions = "# Client\n\n## [Unreleased]\n\n## [1.2.0] - 2024-05-01\n\n### Added\n\n### Fixed\n\n## v1.1\n"
	for _, test := range []struct{ file, text, want string }{
		{"docs/adr/archive/0007-a.md", "# A\n", "deprecated"},
		{"openspec/changes/archive/x/proposal.md", "# X\n", "deprecated"},
		{"openspec/changes/x/proposal.md", "# X\n", "proposed"},
		{"openspec/specs/x/spec.md", "# X\n", ""},
		{"bundle/index.md", "---\nokf_version: \"0.2\"\n---\n# Metrics\n", "history"},
		{"bundle/log.md", "# Update log\n", "history"},
		{"CHANGELOG.md", "# Changes\n", "history"},
		{"docs/release-notes-2.4.md", "# 2.4\n", "history"},
		{"docs/changes/a.md", "# A\n", "history"},
		{"docs/client.md", versions, "history"},
		{"docs/client.md", "# API\n\n## 1.1 Install\n\n## 1.2 Use\n", ""},
		{"docs/client.md", "# API\n\n## Version 1\n\n## Version 2\n", ""},
		{"docs/changes-in-prices.md", "# Prices\n", ""},
		{"docs/room-history.md", "# Rooms\n", ""},
		{"CHANGELOG.md", "# Changes\n\nStatus: deprecated\n", "deprecated"},
	} {
		doc, err := markdown.Parse([]byte(test.text))
		if err != nil {
			t.Fatal(err)
		}
		if got := said.StatusOf(doc, test.file).Word; got != test.want {
			t.Errorf("%s, %q: %q, want %q", test.file, test.text, got, test.want)
		}
	}
}

func TestDecisionNumber(t *testing.T) {
	t.Parallel()
	for document, want := range map[[2]string]string{
		{"docs/adr/0012-cache.md", "Cache"}: "12", {"docs/adr/0000-record.md", ""}: "0", {"adr-012.md", ""}: "12", {"ADR 7 Cache.md", ""}: "7", {"12.md", ""}: "12",
		{"cache-12.md", ""}: "", {"2024plan.md", ""}: "", {"neps/nep-0141.md", ""}: "141", {"eip-20.md", ""}: "20", {"step-3.md", ""}: "",
		{"2024-05-01-outage.md", "Outage"}: "", {"0012-cache.md", "13. Cache"}: "13", {"cache.md", "ADR-0013: Cache"}: "13",
		{"cache.md", "ADR 13 — Cache"}: "13", {"0012-cache.md", "3 caches"}: "12", {"0012-cache.md", "RFC 7231 semantics"}: "12",
		{"0012-cache.md", "2.0 is out"}: "12",
	} {
		if got := said.DecisionNumber(document[0], document[1]); got != want {
			t.Errorf("%q has the number %q, want %q", document, got, want)
		}
	}
}

func TestMentionsIn(t *testing.T) {
	t.Parallel()
	const text = "# A\n\nIn 2024 ADR 7, adr-0012 and (RFC #2119) count, and pep8.\nA decision 000 is no draft of EIP_20é\n\n" +
		"step 3, gadr 4, ADR 5a, ADR 1234567, ADR\n6, Ü-simd 9\n"
	doc, err := markdown.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range said.MentionsIn(doc) {
		got = append(got, r.Destination)
	}
	if diff := cmp.Diff(strings.Fields("#7 #12 #2119 #8 #0 #20 #9"), got); diff != "" {
		t.Errorf("mentions (-want +got):\n%s", diff)
	}
}
