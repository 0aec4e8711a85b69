package main_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/indexstate"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// snapshot is every document of the branch main, see [indexstate.Documents].
func snapshot(t *testing.T, pool *pgxpool.Pool) []string {
	t.Helper()
	documents, err := indexstate.Documents(t.Context(), pool, "main")
	if err != nil {
		t.Fatal(err)
	}
	return documents
}

// manyDocuments is a project whose sync takes a while.
func manyDocuments() map[string]string {
	files := map[string]string{}
	for i := range 60 {
		var b strings.Builder
		fmt.Fprintf(&b, "# Document %d\n\nSee [the next](doc-%02d.md) and [another](doc-%02d.md).\n", i, (i+1)%60, (i+7)%60)
		for section := range 1 + i%7 {
			fmt.Fprintf(&b, "\n## Section %d\n\n%s", section, strings.Repeat(fmt.Sprintf("Words of section %d of %d.\n", section, i), 40))
		}
		files[fmt.Sprintf("docs/doc-%02d.md", i)] = b.String()
	}
	files[".csharp-compounding-docs/config.json"] = `{"project_name": "test-project", "external_docs": {"path": "./docs"}}`
	return files
}

// A server that is killed leaves whole documents only, and the next one finishes.
func TestServe_KilledDuringSync(t *testing.T) {
	t.Parallel()
	const kills = 50
	root := newProject(t, manyDocuments())
	fake := fakeollama.Start(t)
	ollama := "CDOCS_OLLAMA_HOST=" + fake.URL()

	reference := testenv.DatabaseURL(t)
	syncWhole(t, root, "CDOCS_DATABASE_URL="+reference, ollama)
	want := snapshot(t, indexstate.OpenPool(t, reference))
	if len(want) != 60 {
		t.Fatalf("%d documents, want 60", len(want))
	}

	databaseURL := testenv.DatabaseURL(t)
	pool := indexstate.OpenPool(t, databaseURL)
	whole := map[string]bool{}
	for _, line := range want {
		whole[line] = true
	}
	partial := 0
	random := rand.New(rand.NewPCG(7, 7))
	for kill := range kills {
		// Every fifth kill meets an empty index, the others go on from the last.
		if kill%5 == 0 {
			if _, err := pool.Exec(t.Context(), "TRUNCATE projects, passages CASCADE"); err != nil {
				t.Fatal(err)
			}
		}
		command := server(t, "CDOCS_DATABASE_URL="+databaseURL, ollama, "CDOCS_LOG_LEVEL=error")
		session := connect(t, command)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			// The call fails when the server dies.
			_, _ = session.Text(t.Context(), "activate_project", activation(root))
		}()
		if kill%5 == 0 {
			// However fast this machine is, some documents are there and some are not.
			waitForDocuments(t, pool)
		} else {
			time.Sleep(time.Duration(random.IntN(500)) * time.Millisecond) // the random moment
		}
		if err := command.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		<-ended
		_ = session.Close() // reports the kill
		lines := snapshot(t, pool)
		for _, line := range lines {
			if !whole[line] {
				t.Fatalf("after kill %d a document is not whole: %s", kill, line)
			}
		}
		if len(lines) > 0 && len(lines) < len(want) {
			partial++
		}
	}
	t.Logf("%d of %d kills met the sync half-way", partial, kills)
	if partial == 0 {
		t.Error("no kill met the sync half-way: the test shows nothing")
	}
	syncWhole(t, root, "CDOCS_DATABASE_URL="+databaseURL, ollama)
	if diff := cmp.Diff(want, snapshot(t, pool)); diff != "" {
		t.Errorf("after the last sync (-want +got):\n%s", diff)
	}
}

// waitForDocuments returns as soon as the index holds any.
func waitForDocuments(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(time.Minute); len(snapshot(t, pool)) == 0; {
		select {
		case <-deadline:
			t.Fatal("no document was indexed within a minute")
		case <-tick.C:
		}
	}
}

// syncWhole activates the project and waits until nothing is pending.
func syncWhole(t *testing.T, root string, environment ...string) {
	t.Helper()
	session := connect(t, server(t, environment...))
	var answer struct {
		Index any `json:"index"`
	}
	// One activation waits for 15 s of it.
	for range 8 {
		answer.Index = nil
		if call(t, session, "activate_project", activation(root), &answer) {
			t.Fatalf("activation failed: %+v", answer)
		}
		if answer.Index == nil {
			break
		}
	}
	if answer.Index != nil {
		t.Fatalf("the sync is not complete: %+v", answer)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
}
