package db_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/test/await"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// pooled starts PgBouncer in front of a database, and returns the URL through it. It skips the test
// on a machine without PgBouncer.
func pooled(t *testing.T, databaseURL, mode string) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		t.Skip("PgBouncer is not installed (Debian: apt install pgbouncer)")
	}
	// The account that PgBouncer runs as may not enter the folder of PostgreSQL's socket.
	_, databaseURL = testenv.NewDatabaseProxy(t, databaseURL)
	config, err := pgx.ParseConfig(databaseURL)
	must(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	address := listener.Addr().(*net.TCPAddr) //nolint:errcheck //nolint:errcheck // Listen was asked for TCP
	must(t, listener.Close())
	folder, err := os.MkdirTemp("", "cdocs-pooler-") //nolint:usetesting // another account must be able to enter it
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	account := "user=" + config.User
	if config.Password != "" {
		account += " password=" + config.Password
	}
	ini := fmt.Sprintf("[databases]\nalias = host=%[1]s port=%[2]d dbname=%[6]s %[3]s\n* = host=%[1]s port=%[2]d %[3]s\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = %[4]d\n"+
		"unix_socket_dir =\nauth_type = any\npool_mode = %[5]s\ndefault_pool_size = 3\n", config.Host, config.Port, account, address.Port, mode, config.Database)
	file := filepath.Join(folder, "pgbouncer.ini")
	must(t, os.WriteFile(file, []byte(ini), 0o644))
	must(t, os.Chmod(folder, 0o755))
	arguments := []string{file}
	if os.Getuid() == 0 { // PgBouncer refuses to be root
		arguments = []string{"-u", "nobody", file}
	}
	command := exec.Command(program, arguments...)
	command.Stdout, command.Stderr = t.Output(), t.Output()
	must(t, command.Start())
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	through := url.URL{
		Scheme: "postgres", User: url.UserPassword(config.User, config.Password), Host: address.String(),
		Path: config.Database, RawQuery: "sslmode=disable",
	}
	await.Until(t, "PgBouncer answers", func() bool {
		conn, err := pgx.Connect(t.Context(), through.String())
		if err == nil {
			err = conn.Close(t.Context())
		}
		return err == nil
	})
	return through.String()
}

// Through a pooler reads and writes work, and servers share one lease. In session mode the pooler has
// fewer sessions than the pools of both servers could hold, so each URL has the limit that docs/teams.md names.
func TestOpen_ThroughAPooler(t *testing.T) {
	t.Parallel()
	l := newLeaders(t) // migrates, on another connection
	for _, mode := range []string{"transaction", "session"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			pooledURL := pooled(t, l.databaseURL, mode)
			if mode == "session" {
				pooledURL += "&pool_max_conns=1"
			}
			through := &leaders{databaseURL: pooledURL, tenant: l.branch(t, mode)}
			first := through.start(t)
			leading := receive(t, "the first server leads", first.leads)
			second := through.start(t)
			for range 3 {
				if reason := receive(t, "the second server looks", second.reasons); reason != nil {
					t.Errorf("the second server waits because of %v", reason)
				}
			}
			var writing sync.WaitGroup
			for range 20 { // more than the pooler has sessions
				writing.Go(func() {
					if err := through.write(leading, first); err != nil {
						t.Errorf("the leader cannot write: %v", err)
					}
				})
			}
			writing.Wait()
			err := first.database.Read(t.Context(), "look", func(q *db.Queries) error {
				_, err := q.TenantCount(t.Context(), db.TenantCountParams{ProjectID: through.tenant.ProjectID})
				return err
			})
			if err != nil {
				t.Error(err)
			}
			first.stop()
			receive(t, "the second server leads", second.leads)
		})
	}
}

// A migration through a pooler that gives each transaction another session would migrate
// without its lock.
func TestOpen_NoMigrationThroughAPooler(t *testing.T) {
	t.Parallel()
	databaseURL := testenv.DatabaseURL(t)
	through := withPath(t, pooled(t, databaseURL, "transaction"), "/alias")
	_, err := db.Open(context.WithoutCancel(t.Context()), through, slog.New(slog.DiscardHandler))
	if !db.IsKind(err, db.KindSetup) {
		t.Fatalf("open: %v, want a setup error", err)
	}
	if !strings.Contains(err.Error(), "gives each transaction another session; migrate once past the pooler") {
		t.Errorf("open: %v, want the remedy", err)
	}
	conn, err := pgx.Connect(t.Context(), databaseURL)
	must(t, err)
	defer conn.Close(t.Context()) //nolint:errcheck // nothing hangs on it
	var tables int
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").Scan(&tables); err != nil || tables > 0 {
		t.Errorf("%d tables were made: %v", tables, err)
	}
}
