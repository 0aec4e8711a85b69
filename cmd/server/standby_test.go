package main_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// A server whose URL names a standby of PostgreSQL searches the checkout that a server of the
// primary indexes, and follows it. It writes nothing, and says so.
func TestServe_ByAStandby(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "clusters of PostgreSQL are made")
	primary := testenv.StartCluster(t)
	standby := testenv.StartStandby(t, primary)
	ollama := "CDOCS_OLLAMA_HOST=" + fakeollama.Start(t).URL()
	name := "csharp-compounding-docs/tools/a.md"
	root := newProject(t, map[string]string{name: document("A", "Ripe.")})
	other := newProject(t, map[string]string{name: document("Other", "Unripe.")})

	writer := openWindow(t, "CDOCS_DATABASE_URL="+primary.URL(), ollama)
	writer.activate(t, root)
	reader := openWindow(t, "CDOCS_DATABASE_URL="+standby.URL(), ollama)
	var answer toolError
	until(t, "the standby has what the primary wrote", patience, func() bool {
		return !call(t, reader.session, "activate_project", activation(root), &answer)
	})
	until(t, "the document and its vectors are found by the standby", patience, func() bool {
		found := reader.search(t)
		return slices.Equal(found.titles(), []string{"a"}) && found.Index == nil
	})
	write(t, root, "csharp-compounding-docs/tools/b.md", document("B", "Ripe."))
	until(t, "an edit is found by the standby", patience, func() bool { return len(reader.search(t).titles()) == 2 })
	mustBeDenied(t, reader, "index_document", map[string]any{"path": name}, "if the URL names a standby, name its primary")
	mustBeDenied(t, reader, "activate_project", activation(other), "the index does not have this checkout, and this server may only read it")

	primary.Stop()
	conn, err := pgx.Connect(t.Context(), standby.URL())
	must(t, err)
	_, err = conn.Exec(t.Context(), "SELECT pg_promote()")
	must(t, errors.Join(err, conn.Close(t.Context())))
	if call(t, reader.session, "index_document", map[string]any{"path": name}, &answer) {
		t.Errorf("after the promotion: %+v", answer)
	}
	write(t, root, "csharp-compounding-docs/tools/c.md", document("C", "Ripe."))
	until(t, "the promoted standby has another edit", patience, func() bool { return len(reader.search(t).titles()) == 3 })
}
