package db

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/gitrepo"
	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// upgrade is a project with a server of this release, and a database that a newer
// release is going to migrate.
type upgrade struct {
	repo   *gitrepo.Repo
	in     mcpclient.Installation
	config *pgx.ConnConfig
}

func newUpgrade(t *testing.T, databaseURL string) *upgrade {
	t.Helper()
	u := &upgrade{repo: gitrepo.New(t)}
	u.repo.Put(".csharp-compounding-docs/config.json", `{"project_name": "upgraded", "external_docs": {"path": "./manual"}}`)
	for i := range 200 {
		u.save(fmt.Sprint("before", i))
	}
	u.in = mcpclient.Installation{
		Program: testenv.Program(t), Root: u.repo.Root, Home: t.TempDir(),
		DatabaseURL: databaseURL, OllamaHost: fakeollama.Start(t).URL(),
	}
	config, err := pgx.ParseConfig(u.in.DatabaseURL)
	must(t, err)
	u.config = config
	return u
}

func (u *upgrade) save(word string) {
	u.repo.Put("manual/"+word+".md", fmt.Sprintf("# About %s\n\nThe word is %s.\n", word, word))
}

// serve starts a server of this release.
func (u *upgrade) serve(t *testing.T) *mcpclient.Client {
	t.Helper()
	client, err := mcpclient.Start(t.Context(), u.in.Command("serve", "--project", u.in.Root))
	must(t, err)
	t.Cleanup(client.Kill)
	return client
}

// migrate is what the first server of a release does that has one more migration.
func (u *upgrade) migrate(t *testing.T, name string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	must(t, err)
	m := newMigrator(slog.New(slog.DiscardHandler))
	m.schema = schemaWith(t, name, string(content))
	if err := m.migrate(t.Context(), u.config.Copy()); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// find waits until a server finds a document by its word.
func (u *upgrade) find(ctx context.Context, client *mcpclient.Client, word string) error {
	const within = time.Minute
	for began := time.Now(); time.Since(began) < within; {
		text, err := client.Text(ctx, "search_external_docs",
			map[string]any{"query": word, "mode": "lexical", "min_relevance_score": 0.0, "limit": 1})
		if err != nil || strings.Contains(text, "manual/"+word+".md") {
			return err
		}
	}
	return fmt.Errorf("%s was not found in %v", word, within)
}

// A migration as CONTRIBUTING.md allows it passes by the servers of the release before:
// no call fails, what they save before, during and after it is found, and one that starts
// later works too.
func TestUpgrade_ServersOfTheReleaseBeforeGoOn(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "another release migrates under load")
	newUpgrade(t, testenv.DatabaseURL(t)).goesOn(t)
}

func (u *upgrade) goesOn(t *testing.T) {
	t.Helper()
	old := u.serve(t)
	must(t, u.find(t.Context(), old, "before7"))
	var searches int64
	found := make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	loaded := make(chan struct{})
	go func() {
		defer close(loaded)
		for i := 0; ctx.Err() == nil; i++ {
			u.save(fmt.Sprint("during", i))
			if err := u.find(t.Context(), old, fmt.Sprint("during", i)); err != nil {
				t.Errorf("a server of the release before: %v", err)
				return
			}
			searches++
			select {
			case found <- struct{}{}:
			default:
			}
		}
	}()
	several := func() {
		for range 3 {
			select {
			case <-found:
			case <-loaded:
			}
		}
	}
	several()
	u.migrate(t, "00002_made_up.sql")
	several()
	late := u.serve(t)
	u.save("latecomer")
	if err := u.find(t.Context(), late, "latecomer"); err != nil {
		t.Errorf("a server of the release before that starts after the migration: %v", err)
	}
	stop()
	<-loaded
	u.migrate(t, "00002_made_up.sql") // as the next server of the newer release does
	conn, err := pgx.ConnectConfig(t.Context(), u.config.Copy())
	must(t, err)
	var documents int64
	err = conn.QueryRow(t.Context(), "SELECT count(*) FROM documents WHERE made_up = 'one' AND relative_path LIKE 'manual/%'").Scan(&documents)
	if want := 201 + searches; err != nil || documents != want {
		t.Errorf("the newer release sees %d documents, want %d: %v", documents, want, err)
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// A migration that is numbered as one that stops earlier releases is refused by them, in
// words that say what to do.
func TestUpgrade_RefusesWhatItCannotUse(t *testing.T) {
	t.Parallel()
	u := newUpgrade(t, testenv.DatabaseURL(t))
	running := u.serve(t)
	must(t, u.find(t.Context(), running, "before7"))
	u.migrate(t, "01000_made_up.sql")
	started := u.serve(t)
	const want = "(it has migration 1000, and this program knows 1); install the newest compound-docs"
	for name, client := range map[string]*mcpclient.Client{"a server that runs": running, "a server that starts": started} {
		err := u.find(t.Context(), client, "before7")
		if err == nil || !strings.Contains(err.Error(), "DATABASE_ERROR") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s answers %v, want DATABASE_ERROR with %q", name, err, want)
		}
	}
	if pool, err := Open(t.Context(), u.in.DatabaseURL, slog.New(slog.DiscardHandler)); !IsKind(err, KindSetup) {
		t.Errorf("opening gives %v and %v, want an error of setup", pool, err)
	}
}
