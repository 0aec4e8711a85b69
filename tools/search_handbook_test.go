package tools_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// ingest puts documents of one passage each into the handbook.
func (f *fixture) ingest(t *testing.T, documents map[string]string) {
	t.Helper()
	handbook, err := f.index.Handbook(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	files := []document.File{}
	for path, content := range documents {
		files = append(files, document.File{Path: path, Content: []byte(content), Stamp: document.Stamp{Hash: sha256.Sum256([]byte(content))}})
	}
	failures, err := f.index.Indexer(handbook, catalog.Handbook, nil).Index(t.Context(), files)
	if err != nil || len(failures) > 0 {
		t.Fatalf("failures %v, error %v", failures, err)
	}
	if err := f.index.Queue(handbook, catalog.Handbook).Drain(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
}

// execute changes the database without the server.
func (f *fixture) execute(t *testing.T, statement string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), f.databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// searchHandbook returns the answer without what differs from run to run.
func (c client) searchHandbook(t *testing.T, arguments string) string {
	t.Helper()
	a := c.ask(t, "search_handbook", json.RawMessage(arguments))
	if a.IsError || a.Structured != nil {
		t.Fatalf("%s: error %v, structured content %s: %s", arguments, a.IsError, a.Structured, a.Text)
	}
	return regexp.MustCompile(`(?m)^Search time: \d+\.\d{3}s$`).ReplaceAllString(a.Text, "Search time: …")
}

func TestSearchHandbook_SaysWhatHolds(t *testing.T) {
	t.Parallel()
	f := setup(t)
	c := connect(t, f.server, "2025-11-25")
	f.ingest(t, map[string]string{
		"handbook/security/badges.md": "# Badges\n\nStatus: superseded by [cards](cards.md)\n\nBadges open the doors of the office.\n",
		"handbook/security/cards.md":  "# Cards\n\nCoded cards open the doors of the office.\n",
	})
	got := c.searchHandbook(t, `{"query": "badges open the doors"}`)
	old, later := strings.Index(got, "Source: handbook/security/badges.md\nStatus: superseded by ./handbook/security/cards.md\n"),
		strings.Index(got, "Source: handbook/security/cards.md\nChunk")
	if old < 0 || later < 0 || later > old {
		t.Errorf("the page that holds is not first, or the other one is unmarked: %s", got)
	}
}

func TestSearchHandbook_NothingFound(t *testing.T) {
	t.Parallel()
	f := setup(t)
	c := connect(t, f.server, "2025-11-25")
	if got := c.searchHandbook(t, `{"query": "cups"}`); !strings.Contains(got, "`compound-docs ingest DIR`") {
		t.Errorf("a handbook that was never ingested answers %q", got)
	}
	f.ingest(t, map[string]string{"handbook/office/kitchen.md": "Wash the cups.\n", "handbook/keys.md": "Lock the door.\n"})
	handbook, err := f.index.Handbook(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = f.index.Indexer(handbook, catalog.Handbook, nil).Remove(t.Context(), []string{"handbook/office/kitchen.md", "handbook/keys.md"})
	if err != nil {
		t.Fatal(err)
	}
	const want = "No results found for query: 'cups'\nThe handbook holds no document."
	if diff := cmp.Diff(want, c.searchHandbook(t, `{"query": "cups"}`)); diff != "" {
		t.Errorf("an emptied handbook (-want +got):\n%s", diff)
	}
}

func TestSearchHandbook_ClampsTheNumberOfResults(t *testing.T) {
	t.Parallel()
	f := setup(t)
	c := connect(t, f.server, "2025-11-25")
	documents := map[string]string{}
	for i := range 25 {
		documents[fmt.Sprintf("handbook/%d.md", i)] = fmt.Sprintf("Document number %d.\n", i)
	}
	f.ingest(t, documents)
	tests := map[string]int{
		`{"query": "number"}`:                                       5,
		`{"query": "number", "n_results": null}`:                    5,
		`{"query": "number", "n_results": 7}`:                       7,
		`{"query": "number", "n_results": 20}`:                      20,
		`{"query": "number", "n_results": 21}`:                      20,
		`{"query": "number", "n_results": 99999999999999999999999}`: 20,
		`{"query": "number", "n_results": 0}`:                       1,
		`{"query": "number", "n_results": -3}`:                      1,
		`{"query": "number", "n_results": -1e300}`:                  1,
	}
	for arguments, want := range tests {
		if got := strings.Count(c.searchHandbook(t, arguments), "--- Result "); got != want {
			t.Errorf("%s gives %d results, want %d", arguments, got, want)
		}
	}
}

func TestSearchHandbook_RemembersResultsUntilTheHandbookChanges(t *testing.T) {
	t.Parallel()
	const rewrite = "UPDATE documents SET relative_path = replace(relative_path, 'kitchen', 'rewritten')"
	f := setup(t)
	c := connect(t, f.server, "2025-11-25")
	f.ingest(t, map[string]string{"handbook/office/kitchen.md": "Wash the cups.\n"})
	fresh := func(arguments string) bool { return strings.Contains(c.searchHandbook(t, arguments), "rewritten") }
	const first = `{"query": "cups"}`
	if fresh(first) {
		t.Fatal("rewritten before it was")
	}
	f.execute(t, rewrite)
	for arguments, want := range map[string]bool{
		first:                               false,
		`{"query": "cups", "n_results": 5}`: false, // the default
		`{"query": "cups", "n_results": 6}`: true,
		`{"query": "cups", "filter_section": "office"}`: true,
		`{"query": "the cups"}`:                         true,
	} {
		if got := fresh(arguments); got != want {
			t.Errorf("%s was looked up: %v, want %v", arguments, got, want)
		}
	}
	for i := range 95 { // with the three above and first itself: 99
		c.searchHandbook(t, fmt.Sprintf(`{"query": "query %d"}`, i))
	}
	if fresh(first) {
		t.Error("99 searches are more than it remembers")
	}
	for i := range 100 {
		c.searchHandbook(t, fmt.Sprintf(`{"query": "another %d"}`, i))
	}
	if !fresh(first) {
		t.Error("after 100 others a search is still remembered")
	}
	f.execute(t, "UPDATE documents SET relative_path = replace(relative_path, 'rewritten', 'kitchen')")
	f.ingest(t, map[string]string{"handbook/keys.md": "Lock the door.\n"})
	if fresh(first) {
		t.Error("what was remembered outlives a change of the handbook")
	}
}

func TestSearchHandbook_Errors(t *testing.T) {
	t.Parallel()
	f := setup(t)
	c := connect(t, f.server, "2025-11-25")
	if e := c.fail(t, "search_handbook", map[string]any{"query": " \n"}); e.Code != "INVALID_ARGUMENT" || e.Details["parameter"] != "query" {
		t.Errorf("a blank query: %+v, want INVALID_ARGUMENT", e)
	}
	f.ingest(t, map[string]string{"handbook/keys.md": "Lock the door.\n"})
	c.searchHandbook(t, `{"query": "door"}`)
	f.fake.Close()
	if got := c.searchHandbook(t, `{"query": "keys"}`); !strings.Contains(got, "Lock the door.") {
		t.Errorf("while Ollama is away words find nothing: %s", got)
	}
	if got := c.searchHandbook(t, `{"query": "door"}`); !strings.Contains(got, "Lock the door.") {
		t.Errorf("a remembered search needs Ollama: %s", got)
	}
	f.execute(t, "DROP TABLE tenants CASCADE")
	if e := c.fail(t, "search_handbook", map[string]any{"query": "doors"}); e.Code != "DATABASE_ERROR" {
		t.Errorf("the database fails: %+v, want DATABASE_ERROR", e)
	}
}
