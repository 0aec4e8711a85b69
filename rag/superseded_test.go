package rag_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// A relation names a document that is written later, moved or removed, in each form. A number that two documents have
// names none.
func TestSearch_RelationsFollowTheDocuments(t *testing.T) {
	t.Parallel()
	f := setup(t)
	const old, moved, twin = "docs/adr/0007-old.md", "docs/adr/0007-moved.md", "docs/adr/0007-twin.md"
	check := func(after string, want ...string) {
		t.Helper()
		hits, err := f.Searcher.Search(t.Context(), f.Scope(), rag.Query{Text: "connection pool", Limit: 10, Mode: rag.Lexical})
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, hit := range hits.Documents {
			if hit.Successor() != "" {
				got = append(got, hit.Path+" "+hit.Mark())
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after %s (-want +got):\n%s", after, diff)
		}
	}
	remove := func(paths ...string) {
		if err := f.Index.Indexer(f.Tenant, catalog.Compounding, nil).Remove(t.Context(), paths); err != nil {
			t.Fatal(err)
		}
	}
	f.AddText(t, f.Tenant,
		file("docs/adr/0012-number.md", "# Number", "", "Supersedes ADR-7.", "", "Connection pool."),
		file("docs/wikilink.md", "# Wikilink", "", "Amends [[0007-old]].", "", "Connection pool."))
	check("the later ones", []string{}...)
	f.AddText(t, f.Tenant, file(old, "# Old", "", "Connection pool."))
	check("the old one", old+" superseded by ./docs/adr/0012-number.md")
	f.AddText(t, f.Tenant, file(moved, "# Old", "", "Connection pool."))
	remove(old)
	check("a move", moved+" superseded by ./docs/adr/0012-number.md")
	f.AddText(t, f.Tenant, file(twin, "# Twin", "", "Connection pool."))
	check("a second with the number", []string{}...)
	remove(moved)
	check("a removal", twin+" superseded by ./docs/adr/0012-number.md")
	f.AddText(t, f.Tenant, file("docs/other/0007-old.md", "# Old", "", "Connection pool."))
	remove("docs/adr/0012-number.md")
	check("the end of the successor", "docs/other/0007-old.md amended by ./docs/wikilink.md")
}

// subjectHistory is a subject whose documents have the same text. Each except the first supersedes
// one or more earlier ones.
type subjectHistory struct {
	words string
	// paths are in order of time.
	paths []string
	// replaces has the earlier documents of each, also over others.
	replaces map[string][]string
}

func randomHistories(random *rand.Rand) (histories []subjectHistory, files []document.File) {
	names := random.Perm(100)
	for range 12 {
		h := subjectHistory{words: randomWords(random, 4), replaces: map[string][]string{}}
		title, text := "# "+h.words, randomWords(random, 20)
		for range 1 + random.IntN(4) {
			path := fmt.Sprintf("docs/%02d.md", names[0])
			names = names[1:]
			level := catalog.Levels()[random.IntN(2)]
			lines := []string{"---", "promotion_level: " + string(level), "supersedes:"}
			for i, earlier := range h.paths {
				if i == len(h.paths)-1 || random.IntN(3) == 0 {
					lines = append(lines, "  - /"+earlier)
					h.replaces[path] = append(h.replaces[path], append(slices.Clone(h.replaces[earlier]), earlier)...)
				}
			}
			if len(h.paths) == 0 {
				lines = lines[:2]
			}
			files = append(files, file(path, append(lines, "---", title, "", text)...))
			h.paths = append(h.paths, path)
		}
		histories = append(histories, h)
	}
	random.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	return histories, files
}

// For any mode, limit, promotion levels and names, no document comes before one with the same text
// that replaces it, directly or over others.
func TestSearch_SupersededNeverComesFirst(t *testing.T) {
	t.Parallel()
	f := setup(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	histories, files := randomHistories(random)
	f.Add(t, f.Tenant, files...)
	for _, h := range histories {
		for _, mode := range rag.Modes() {
			for _, limit := range []int{1, 2, 3, len(files)} {
				found, _ := f.found(t, rag.Query{Text: h.words, Mode: mode, Limit: limit})
				for path, replaced := range h.replaces {
					for _, old := range replaced {
						at, before := slices.Index(found, path), slices.Index(found, old)
						if before >= 0 && (at < 0 || at > before) {
							t.Errorf("%s, limit %d: %s is number %d, and %s, which replaces it, number %d", mode, limit, old, before+1, path, at+1)
						}
					}
				}
			}
		}
	}
}

// A filter says which documents are listed: the successor of one that it lets through, too, except if it names
// documents. The mark names each successor.
func TestSearch_SuccessorsPassTheFilter(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Add(t, f.Tenant,
		file("docs/problems/old.md", "---", "promotion_level: important", "---", "# Pumps", "", "A pump that runs dry."),
		file("docs/problems/next.md", "---", "promotion_level: important", "supersedes: old.md", "---", "# Valves", "", "Close them."),
		file("docs/tools/last.md", "---", "supersedes: ../problems/next.md", "---", "# Hoses", "", "Cut them."),
	)
	search := func(filter rag.Filter) (found []string, ids []int64) {
		hits, err := f.Searcher.Search(t.Context(), f.Scope(), rag.Query{Text: "pump runs dry", Limit: 10, Mode: rag.Lexical, Filter: filter})
		if err != nil {
			t.Fatal(err)
		}
		for _, hit := range hits.Documents {
			found, ids = append(found, hit.Path+" "+hit.SupersededBy), append(ids, hit.ID)
		}
		return found, ids
	}
	all := []string{"docs/tools/last.md ", "docs/problems/next.md docs/tools/last.md", "docs/problems/old.md docs/problems/next.md"}
	found, ids := search(rag.Filter{})
	if diff := cmp.Diff(all, found); diff != "" {
		t.Fatalf("without a filter (-want +got):\n%s", diff)
	}
	for name, test := range map[string]struct {
		filter rag.Filter
		want   []string
	}{
		"levels":    {rag.Filter{Levels: []catalog.Level{catalog.Important}}, all[1:]},
		"statuses":  {rag.Filter{Statuses: []catalog.Status{catalog.Replaced}}, all[1:]},
		"documents": {rag.Filter{Documents: ids[2:]}, all},
	} {
		if found, _ := search(test.filter); !slices.Equal(test.want, found) {
			t.Errorf("%s: %q, want %q", name, found, test.want)
		}
	}
}
