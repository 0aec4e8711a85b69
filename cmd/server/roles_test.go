package main_test

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// setUpRoles runs the first statements of docs/teams.md on a database, and returns what
// makes a server use it with one of the roles.
func setUpRoles(t *testing.T, databaseURL string) (as func(role string) string) {
	t.Helper()
	_, script, found := strings.Cut(blocks(t, "docs/teams.md", "sql")[0], "\nCREATE EXTENSION vector;")
	if !found {
		t.Fatal("docs/teams.md has no statements that make the roles")
	}
	parsed, err := url.Parse(databaseURL)
	must(t, err)
	// Roles belong to the whole server, and other tests may have them too.
	suffix := strings.ReplaceAll(parsed.Path, "/", "_")
	names := []string{"cdocs_owner", "cdocs_member", "cdocs_reader", "alice", "report"}
	var renamed, replacements []string
	for _, name := range names {
		renamed = append(renamed, name+suffix)
		replacements = append(replacements, name, name+suffix)
	}
	exec := func(ctx context.Context, statements string) {
		t.Helper()
		conn, err := pgx.Connect(ctx, databaseURL)
		if err == nil {
			defer conn.Close(ctx) //nolint:errcheck // of a test
			_, err = conn.Exec(ctx, statements)
		}
		if err != nil {
			t.Errorf("%v in %s", err, statements)
		}
	}
	exec(t.Context(), "CREATE EXTENSION vector;"+strings.NewReplacer(append(replacements, "…", "s3cret")...).Replace(script))
	t.Cleanup(func() {
		for _, role := range renamed { // PostgreSQL cannot drop the default privileges of several at once
			exec(context.Background(), "DROP OWNED BY "+role)
		}
		exec(context.Background(), "DROP ROLE "+strings.Join(renamed, ", "))
	})
	return func(role string) string {
		other := *parsed
		other.User = url.UserPassword(role+suffix, "s3cret")
		return "CDOCS_DATABASE_URL=" + other.String()
	}
}

// mustBeDenied calls a tool that the database's role has no right to.
func mustBeDenied(t *testing.T, w *window, tool string, arguments map[string]any, want string) {
	t.Helper()
	var answer toolError
	failed := call(t, w.session, tool, arguments, &answer)
	if !failed || answer.Code != "DATABASE_ERROR" || answer.Details["sqlstate"] != "42501" || !strings.Contains(answer.Message, want) {
		t.Errorf("%s: %+v, want to be told %q", tool, answer, want)
	}
}

// denyMigrations runs the second statements of docs/teams.md as the owner, after which a
// member cannot claim that a migration was applied.
func denyMigrations(t *testing.T, as func(role string) string) {
	t.Helper()
	execAs := func(role, statement string) error {
		conn, err := pgx.Connect(t.Context(), strings.TrimPrefix(as(role), "CDOCS_DATABASE_URL="))
		if err == nil {
			defer conn.Close(t.Context()) //nolint:errcheck // of a test
			_, err = conn.Exec(t.Context(), statement)
		}
		return err
	}
	_, suffix, _ := strings.Cut(as("alice"), "/cdocs_test")
	suffix, _, _ = strings.Cut("_cdocs_test"+suffix, "?")
	revoke := strings.ReplaceAll(blocks(t, "docs/teams.md", "sql")[1], "cdocs_member", "cdocs_member"+suffix)
	must(t, execAs("cdocs_owner", revoke))
	err := execAs("alice", "INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, true)")
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); !ok || pgErr.Code != "42501" {
		t.Errorf("a member writes the schema's version: %v, want to be denied", err)
	}
}

// The three roles of docs/teams.md can do what that page says, and say what they can't.
func TestServe_AsOwnerMemberAndReader(t *testing.T) {
	t.Parallel()
	as := setUpRoles(t, testenv.DatabaseURL(t))
	ollama := "CDOCS_OLLAMA_HOST=" + fakeollama.Start(t).URL()
	name := "csharp-compounding-docs/tools/a.md"
	root := newProject(t, map[string]string{name: document("A", "Ripe.")})

	member := openWindow(t, as("alice"), ollama)
	mustBeDenied(t, member, "activate_project", activation(root), "use the database's owner to create and migrate the index")
	owner := openWindow(t, as("cdocs_owner"), ollama)
	if text, err := owner.session.Text(t.Context(), "search_handbook", map[string]any{"query": "x"}); err != nil {
		t.Fatalf("the owner migrates: %v, %s", err, text)
	}
	denyMigrations(t, as)
	reader := openWindow(t, as("report"), ollama)
	mustBeDenied(t, reader, "activate_project", activation(root), "the index does not have this checkout, and this server may only read it")

	member.activate(t, root)
	if diff := cmp.Diff([]string{"a"}, member.search(t).titles()); diff != "" {
		t.Errorf("the member finds (-want +got):\n%s", diff)
	}
	reader.activate(t, root)
	found := reader.search(t)
	if diff := cmp.Diff([]string{"a"}, found.titles()); diff != "" || found.Index != nil {
		t.Errorf("the reader is told %+v, and finds (-want +got):\n%s", found.Index, diff)
	}
	before, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	must(t, err)
	const readOnly = "this server may only read the index"
	mustBeDenied(t, reader, "index_document", map[string]any{"path": name}, readOnly)
	mustBeDenied(t, reader, "update_promotion_level", map[string]any{"document_path": name, "promotion_level": "critical"}, readOnly)
	mustBeDenied(t, reader, "delete_documents", map[string]any{"project_name": "test-project", "dry_run": false}, "has no right to do this")
	if after, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name))); err != nil || string(after) != string(before) {
		t.Errorf("the file after the reader's calls: %s, %v, want it as it was", after, err)
	}

	must(t, member.session.Close())
	member.killed = true // it has ended
	until(t, "the reader says that nobody indexes", patience, func() bool {
		index := reader.index(t)
		return index != nil && strings.Contains(index.Waiting, "no server indexes this checkout now, and this one may only read the index")
	})
}
