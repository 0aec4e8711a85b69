package index_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/test/gitrepo"
	"github.com/compound-docs/compound-docs/test/ragtest"
)

// The title and the date of a document are what its tool has written, in whatever form.
func TestDissect_ReadsTitlesAndDates(t *testing.T) {
	t.Parallel()
	repo := gitrepo.New(t)
	repo.Put(".csharp-compounding-docs/config.json", `{"project_name": "forms", "documents": {"folder": "docs", "lenient": true}}`)
	p, err := project.Load(repo.Root)
	repo.Must(err)
	const id = " 1f0a2b3c4d5e6f708192a3b4c5d6e7f8"
	for _, test := range []struct{ name, text, want string }{
		{"dev.setup.linux.md", "Text.", "dev setup linux, "},
		{"ops.on-call.hand-over.md", "Text.", "ops on-call hand-over, "},
		{"a.b.c.d.md", "---\nid: x\ncreated: 1\n---\nText.", "a b c d, "},
		{"dev.setup.mac.md", "---\ntitle: Mac\n---\nText.", "Mac, "},
		{"node.js.md", "Text.", "node.js, "},
		{"release-1.2.3.md", "Text.", "release-1.2.3, "},
		{"Project kickoff" + id + ".md", "# Project kickoff\n\nCreated: May 3, 2023 4:11 PM\nTags: infra, db\n\nText.", "Project kickoff, 2023-05-03"},
		{"Retro" + id + ".md", "Created: 3 May 2023\n\nText.", "Retro, 2023-05-03"},
		{"On call, part 2" + id + ".md", "Text.", "On call, part 2, "},
		{"hash" + strings.TrimSpace(id) + ".md", "Text.", "hash1f0a2b3c4d5e6f708192a3b4c5d6e7f8, "},
		{"adr/0012-two.md", "# 12. Keep two schedulers\n\nDate: 2022-03-04\n\n## Status\n\nAccepted", "12. Keep two schedulers, 2022-03-04"},
		{"t3.md", "---\ntitle: Rehearsal\ndate: 19/12/2024\n---\nText.", "Rehearsal, 2024-12-19"},
		{"t6.md", "---\ntitle: [Runbook] failover\ndate: December 23, 2024\n---\nText.", "[Runbook] failover, 2024-12-23"},
		{"t4.md", "---\ntitle: Zones\ndate: 2024-12-20T22:30:00-05:00\n---\nText.", "Zones, 2024-12-20"},
		{"CIP-0001/README.md", "---\nCIP: 1\nTitle: CIP Process\nCreated: 2020-03-21\n---\n\n## Abstract", "CIP Process, 2020-03-21"},
		{"b1.md", "---\nTitle: B\ntitle: A\n---\n", "A, "},
		{"meetings/2020-07-01.md", "# Notes\n", "Notes, 2020-07-01"},
		{"_posts/2021-3-04-outage.md", "# A\n", "A, "},
		{"_posts/2021-03-04-outage.md", "# A\n", "A, 2021-03-04"},
		{"journals/2021_03_04.md", "# A\n", "A, 2021-03-04"},
		{"z/202103041530 pools.md", "# A\n", "A, 2021-03-04"},
		{"problems/outage-20210304.md", "# A\n", "A, 2021-03-04"},
		{"problems/outage-20210304.md", "# A\n\nDate: 2021-03-05\n", "A, 2021-03-05"},
		{"issue-20214404.md", "# A\n", "A, "},
		{"t7.md", "---\ntitle: Two days\ndate: 03/04/2024\n---\nText.", "Two days, "},
	} {
		doc, err := index.Dissect(ragtest.File("docs/"+test.name, test.text), catalog.Compounding, p)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, doc.Title+", "+doc.Date); diff != "" {
			t.Errorf("%s: title and date (-want +got):\n%s", test.name, diff)
		}
	}
}

// A document without front matter of ours may name a doc-type of the project, in the form of the Open Knowledge Format too.
func TestDissect_ReadsDocTypes(t *testing.T) {
	t.Parallel()
	repo := gitrepo.New(t)
	repo.Put(".csharp-compounding-docs/config.json", `{"project_name": "forms", "documents": {"folder": "docs", "lenient": true},
		"custom_doc_types": [{"name": "playbook", "description": "Steps", "folder": "playbooks"}]}`)
	p, err := project.Load(repo.Root)
	repo.Must(err)
	for text, want := range map[string]string{
		"doc_type: playbook": "playbook", "type: Playbook": "playbook", "type: BigQuery Table": "codebase",
		"doc_type: tool\ntype: Playbook": "tool", "type: [playbook]": "codebase",
	} {
		doc, err := index.Dissect(ragtest.File("docs/a.md", "---\n"+text+"\n---\nText."), catalog.Compounding, p)
		if err != nil || doc.DocType != want {
			t.Errorf("%q is a %q, want %q: %v", text, doc.DocType, want, err)
		}
	}
}

// Nothing that the index makes of a file has its secrets or comments.
func TestDissect_HasNoSecretAndNoComment(t *testing.T) {
	t.Parallel()
	token := "ghp" + "_16C7e42F292c6912E7710c838347Ae178B4a"
	file := ragtest.File("docs/deploy.md", "---", "title: Deploy with "+token, "solution: "+token, "questions: ["+token+"]", "---",
		"", "The key `AK"+"IAIOSFODNN7EXAMPLE`.", "", "<!-- quokkafinch -->", "", "## Use "+token, "", "%% bilbaokettle %%", "", "`x "+token+"` [a](b/"+token+".md)")
	doc, err := index.Dissect(file, catalog.Compounding, ragtest.AnyDocument{})
	if err != nil {
		t.Fatal(err)
	}
	gist, err := index.Gist(file.Content)
	if err != nil {
		t.Fatal(err)
	}
	said := fmt.Sprintf("%+v %s", doc, gist)
	for _, secret := range []string{token, "IOSFODNN7", "quokkafinch", "bilbaokettle"} {
		if strings.Contains(said, secret) {
			t.Errorf("%s is in %s", secret, said)
		}
	}
	if !strings.Contains(gist, "REDACTED") || len(doc.Passages) < 3 {
		t.Errorf("%d passages, gist %s", len(doc.Passages), gist)
	}
}

// Documents outside the repository have absolute paths, and name each other as those in it do.
func TestDissect_LinksDocumentsOutside(t *testing.T) {
	t.Parallel()
	text := "# Cache\n\n## Status\n\nSuperseded by [new](../new.md). Also [0012](0012-x.md), [root](/x.md), ADR-7 and [out](../../../out.md).\n"
	doc, err := index.Dissect(ragtest.File("/shared/adr/old.md", text), catalog.External, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, link := range doc.Links {
		got = append(got, string(link.Relation)+" "+link.Target)
	}
	want := []string{
		" /shared/new.md", " /shared/adr/0012-x.md", " x.md", " /out.md", "superseded_by /shared/new.md", "superseded_by /shared/adr/0012-x.md",
		"superseded_by x.md", "superseded_by /out.md", "superseded_by /shared/adr/#7", "mentions /shared/adr/#7",
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
}

// A first heading that is the name of a section is no title.
func TestDissect_TitleOfAFile(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ file, text, want string }{
		{"rfcs/0042-async.md", "# Summary\n\nA loop.\n\n# Motivation\n\nSpeed.", "0042-async"},
		{"docs/billing/README.md", "# Overview\n\nIt bills.", "billing"},
		{"docs/a.md", "# 1. Introduction\n\nText.", "a"},
		{"docs/a.md", "# Summary of the audit\n\nText.", "Summary of the audit"},
		{"docs/a.md", "---\ntitle: Context\n---\nText.", "Context"},
		{"README.md", "Text.", "README"},
	} {
		doc, err := index.Dissect(ragtest.File(test.file, test.text), catalog.Compounding, ragtest.AnyDocument{})
		if err != nil {
			t.Fatal(err)
		}
		if doc.Title != test.want {
			t.Errorf("%s, %q: title %q, want %q", test.file, test.text, doc.Title, test.want)
		}
	}
}
