package main_test

import (
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/ragtest"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// searchHandbook returns the answer's text and whether it is an error.
func searchHandbook(t *testing.T, session *mcpclient.Client, query string) (text string, failed bool) {
	t.Helper()
	text, failed, err := session.Answer(t.Context(), "search_handbook", map[string]any{"query": query})
	must(t, err)
	return text, failed
}

// A search of the handbook that was made before is made again when another process has ingested since. It fails without
// the database.
func TestServe_RemembersHandbookSearchesOfAnEdition(t *testing.T) {
	t.Parallel()
	databaseURL := ragtest.IndexURL(t)
	proxy, throughProxy := testenv.NewDatabaseProxy(t, databaseURL)
	fake := fakeollama.Start(t)
	dir := newHandbook(t, "handbook", map[string]string{"office/kitchen.md": "Wash the cups.\n"})
	environment := []string{"CDOCS_DATABASE_URL=" + databaseURL, "CDOCS_OLLAMA_HOST=" + fake.URL()}
	mustRun(t, dir, environment, "ingest", dir)
	session := connect(t, server(t, "CDOCS_DATABASE_URL="+throughProxy, "CDOCS_OLLAMA_HOST="+fake.URL()))
	holds := func(when, query, want string) {
		t.Helper()
		if text, failed := searchHandbook(t, session, query); failed || !strings.Contains(text, want) {
			t.Errorf("%s %q gives %s, want %q in it", when, query, text, want)
		}
	}
	holds("at first", "cups", "Wash the cups.")
	proxy.Shut()
	if text, failed := searchHandbook(t, session, "cups"); !failed || !strings.Contains(text, "DATABASE_ERROR") {
		t.Errorf("without the database a search gives %s, want DATABASE_ERROR", text)
	}
	write(t, dir, "office/kitchen.md", "Leave the cups.\n")
	mustRun(t, dir, environment, "ingest", dir)
	proxy.Open()
	holds("after the handbook changed", "cups", "Leave the cups.")
	must(t, session.Close())
}
