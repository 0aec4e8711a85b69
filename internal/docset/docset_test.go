package docset_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/test/gitrepo"
	"github.com/compound-docs/compound-docs/test/ragtest"
	"github.com/compound-docs/compound-docs/test/testenv"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

// Wikilinks lead where Obsidian's do, for the index as for lint and the page. Where Obsidian 1.13.7 leads was
// observed at https://github.com/pvliesdonk/markdown-vault-mcp/pull/1380.
func TestRead_ResolvesWikilinksAsObsidian(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, source, link, want string }{
		{"the root before the own folder", "zzzz/1.md", "top", "top.md"},
		{"the root in another case", "zzzz/2.md", "TOP", "top.md"},
		{"a path from the root before the own folder", "zzzz/3.md", "b/path", "b/path.md"},
		{"the own folder before a shorter path", "zzzz/4.md", "note", "zzzz/note.md"},
		{"below the own folder before a shorter path", "zzzz/5.md", "below", "zzzz/deep/below.md"},
		{"an ancestor's folder counts for nothing", "zzzz/deep/6.md", "note", "b/note.md"},
		{"a folder whose name begins alike counts for nothing", "zz/7.md", "note", "b/note.md"},
		{"the shortest path", "8.md", "note", "b/note.md"},
		{"the shortest path, not the fewest folders", "9.md", "few", "a/b/few.md"},
		{"characters count, not bytes", "10.md", "wide", "ääää/wide.md"},
		{"of equal ones, the first path", "11.md", "tie", "aa/tie.md"},
		{"a path is the end of the document's", "12.md", "deep/below", "zzzz/deep/below.md"},
		{"a path with folders between is another", "13.md", "zzzz/below", ""},
		{"part of a name is another", "14.md", "elow", ""},
		{"from the root", "zzzz/15.md", "/note", "zzzz/note.md"},
		{"relative to the note", "zzzz/deep/16.md", "../note", "zzzz/note.md"},
		{"relative to the note, not there", "a/17.md", "./note", ""},
		{"heading below a heading", "18.md", "top#One#Two", "top.md"},
		{"a number in the name", "19.md", "Release 1.2", "Release 1.2.md"},
	}
	repo := gitrepo.New(t)
	repo.Put(".csharp-compounding-docs/config.json", `{"project_name": "vault", "documents": {"folder": "docs", "lenient": true}}`)
	for _, note := range []string{
		"top", "zzzz/top", "b/path", "a/b/path", "zzzz/b/path", "b/note", "a/b/note", "zzzz/note", "b/below", "zzzz/deep/below",
		"a/b/few", "zzzzzz/few", "ääää/wide", "zzzzz/wide", "cc/tie", "aa/tie", "bb/tie", "Release 1.2",
	} {
		repo.Put("docs/"+note+".md", "A note.\n")
	}
	for _, test := range tests {
		repo.Put("docs/"+test.source, "See [["+test.link+"|text]].\n")
	}
	p, err := project.Load(repo.Root)
	repo.Must(err)
	set, err := docset.Read(t.Context(), p)
	repo.Must(err)

	indexed := indexedLinks(t, p, set)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			source := "docs/" + test.source
			want := "missing; indexed: "
			if test.want != "" {
				want = fmt.Sprintf("docs/%s; indexed: docs/%[1]s", test.want)
			}
			target := set.Find(source).Targets[0]
			if target.Missing {
				target.Path = "missing"
			}
			got := target.Path + "; indexed: " + indexed[source]
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("[[%s]] in %s leads to (-want +got):\n%s", test.link, source, diff)
			}
		})
	}
}

// A number is that of the only such decision in the folder, also at the root, and a wikilink the page beside the document before a
// shorter path, for the index as for lint and the page.
func TestStandings_AreThoseOfTheIndex(t *testing.T) {
	t.Parallel()
	repo := gitrepo.New(t)
	repo.Put(".csharp-compounding-docs/config.json", `{"project_name": "vault", "documents": {"folders": ["."], "lenient": true}}`)
	for name, text := range map[string]string{
		"0001-redis.md": "# Redis\n", "0002-postgresql.md": "# PostgreSQL\n\nSupersedes ADR-0001.\n",
		"adr/0001-rest-in-general.md": "# REST\n", "adr/0001-soap.md": "# SOAP\n", "adr/0002-grpc.md": "# gRPC\n\nSupersedes ADR-1.\n",
		"adr/0003-json.md": "# ADR-0009: JSON\n", "adr/0010-cbor.md": "# CBOR\n\nSupersedes ADR-9.\n",
		"a/login.md": "# Customers\n", "web/longer/login.md": "# Employees\n", "web/longer/keys.md": "# Keys\n\nSupersedes [[Login]].\n",
		"c#.md": "# C\n", "go.md": "# Go\n\nSupersedes [C#](c%23.md).\n",
	} {
		repo.Put(name, text)
	}
	p, err := project.Load(repo.Root)
	repo.Must(err)
	set, err := docset.Read(t.Context(), p)
	repo.Must(err)
	f := indexed(t, p, set)
	row, err := db.ReadOne(t.Context(), f.Database, "read standings", (*db.Queries).SearchFacts, db.SearchFactsParams{
		ProjectID: f.Tenant.ProjectID, TenantID: f.Tenant.ID, Generation: f.Tenant.Generation, Collection: catalog.Compounding,
	})
	repo.Must(err)
	replacing := map[string][]string{}
	for i, older := range row.Older {
		replacing[older] = append(replacing[older], row.Newer[i])
	}
	want := map[string][]string{
		"0001-redis.md": {"0002-postgresql.md"}, "adr/0003-json.md": {"adr/0010-cbor.md"},
		"web/longer/login.md": {"web/longer/keys.md"}, "c#.md": {"go.md"},
	}
	if diff := cmp.Diff(want, replacing); diff != "" {
		t.Errorf("the index (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, set.Standings().Replacing); diff != "" {
		t.Errorf("the files (-want +got):\n%s", diff)
	}
}

// A first heading of three documents is that of their form, for the index as for lint and the page, until one of them goes.
func TestRead_CallsDocumentsOfAFormByTheirFiles(t *testing.T) {
	t.Parallel()
	repo := gitrepo.New(t)
	repo.Put(".csharp-compounding-docs/config.json", `{"project_name": "forms", "documents": {"folders": ["."], "lenient": true}}`)
	want := map[string]string{}
	for name, document := range map[string]struct{ text, title string }{
		"rfcs/0001-queue.md": {"# RFC template\n\nA queue.\n", "0001-queue"}, "rfcs/0002-cache.md": {"# RFC template\n\nA cache.\n", "0002-cache"},
		"rfcs/login/README.md": {"# RFC template\n\nLogin.\n", "login"}, "rfcs/said.md": {"---\ntitle: RFC template\n---\n\nIt says so.\n", "RFC template"},
		"copies/a.md": {"# Our rules\n", "Our rules"}, "copies/b.md": {"# Our rules\n", "Our rules"}, "copies/c.md": {"# Our rules\n", "Our rules"},
		"v1/start.md": {"# Start\n\nOne.\n", "Start"}, "v2/start.md": {"# Start\n\nTwo.\n", "Start"}, "v3/start.md": {"# Start\n\nThree.\n", "Start"},
		"de/pool.md": {"# Pool\n\nEin Pool.\n", "Pool"}, "en/pools.md": {"# Pool\n\nA pool.\n", "Pool"},
	} {
		repo.Put(name, document.text)
		want[name] = document.title
	}
	p, err := project.Load(repo.Root)
	repo.Must(err)
	set, err := docset.Read(t.Context(), p)
	repo.Must(err)
	got := map[string]string{}
	for _, d := range set.Documents {
		got[d.Path] = d.Title
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the files (-want +got):\n%s", diff)
	}
	f := indexed(t, p, set)
	titles := func() map[string]string {
		got := map[string]string{}
		for _, row := range f.Rows(t, "SELECT relative_path || '=' || title FROM documents") {
			path, title, _ := strings.Cut(row, "=")
			got[path] = title
		}
		return got
	}
	if diff := cmp.Diff(want, titles()); diff != "" {
		t.Errorf("the index (-want +got):\n%s", diff)
	}
	repo.Must(f.Index.Indexer(f.Tenant, catalog.Compounding, p).Remove(t.Context(), []string{"rfcs/0001-queue.md", "rfcs/said.md"}))
	if got := titles()["rfcs/0002-cache.md"]; got != "RFC template" {
		t.Errorf("one of two with a title is called %q", got)
	}
}

// indexed returns an index of the set.
func indexed(t *testing.T, p *project.Project, set *docset.Set) *ragtest.Fixture {
	t.Helper()
	f := ragtest.New(t)
	files := []document.File{}
	for _, d := range set.Documents {
		files = append(files, ragtest.File(d.Path, strings.TrimSuffix(string(d.Content), "\n")))
	}
	failures, err := f.Index.Indexer(f.Tenant, catalog.Compounding, p).Index(t.Context(), files)
	if err != nil || len(failures) > 0 {
		t.Fatal(failures, err)
	}
	return f
}

// indexedLinks returns where the last link of each document leads in an index of the set.
func indexedLinks(t *testing.T, p *project.Project, set *docset.Set) map[string]string {
	t.Helper()
	f := indexed(t, p, set)
	edges, err := db.ReadOne(t.Context(), f.Database, "read links", (*db.Queries).LinkEdges, db.LinkEdgesParams{
		ProjectID: f.Tenant.ProjectID, TenantID: f.Tenant.ID, Collection: catalog.Compounding,
	})
	if err != nil {
		t.Fatal(err)
	}
	indexed := map[string]string{}
	for _, edge := range edges {
		indexed[edge.SourcePath] = edge.TargetPath
	}
	return indexed
}
