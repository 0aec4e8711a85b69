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
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// pooled starts PgBouncer in front of a database, and returns the URL that leads through
// it. It skips the test where there is none.
func pooled(t *testing.T, databaseURL, mode string) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		t.Skip("PgBouncer is not installed (Debian: apt install pgbouncer)")
	}
	// The account that PgBouncer runs as may not enter the folder of PostgreSQL's socket.
	_, databaseURL = testenv.NewDatabaseProxy(t, databaseURL)
	config, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().(*net.TCPAddr) //nolint:errcheck // what Listen was asked for
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "cdocs-pooler-") //nolint:usetesting // another account must be able to enter it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	account := "user=" + config.User
	if config.Password != "" {
		account += " password=" + config.Password
	}
	ini := fmt.Sprintf("[databases]\n* = host=%s port=%d %s\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = %d\n"+
		"unix_socket_dir =\nauth_type = any\npool_mode = %s\n", config.Host, config.Port, account, address.Port, mode)
	file := filepath.Join(folder, "pgbouncer.ini")
	if err := os.WriteFile(file, []byte(ini), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	arguments := []string{file}
	if os.Getuid() == 0 { // PgBouncer refuses to be root
		arguments = []string{"-u", "nobody", file}
	}
	command := exec.Command(program, arguments...)
	command.Stdout, command.Stderr = t.Output(), t.Output()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	through := url.URL{
		Scheme: "postgres", User: url.UserPassword(config.User, config.Password), Host: address.String(),
		Path: config.Database, RawQuery: "sslmode=disable",
	}
	for deadline := time.Now().Add(10 * time.Second); ; {
		conn, err := pgx.Connect(t.Context(), through.String())
		if err == nil {
			if err := conn.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			return through.String()
		}
		if time.Now().After(deadline) {
			t.Fatal("PgBouncer does not answer: ", err)
		}
		time.Sleep(20 * time.Millisecond) // between two tries
	}
}

// A pooler in session mode serves as PostgreSQL itself does: settings and locks last.
func TestOpen_ThroughAPoolerInSessionMode(t *testing.T) {
	t.Parallel()
	database := db.NewDatabase(pooled(t, testenv.DatabaseURL(t), "session"), slog.New(slog.DiscardHandler))
	t.Cleanup(database.Close)
	pool, err := database.Pool(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var setting string
	if err := pool.QueryRow(t.Context(), "SELECT current_setting('hnsw.ef_search') || current_setting('jit')").Scan(&setting); err != nil ||
		setting != "200off" {
		t.Errorf("the settings are %q: %v", setting, err)
	}
	lease, err := database.TryLease(t.Context(), db.LockIndexer, 1)
	if err != nil || lease == nil {
		t.Fatalf("the lease: %v, %v", lease, err)
	}
	if again, err := database.TryLease(t.Context(), db.LockIndexer, 1); again != nil || err != nil {
		t.Errorf("a lease that is held is taken again: %v", err)
	}
	if err := lease.Release(); err != nil {
		t.Error(err)
	}
	lease, err = database.TryLease(t.Context(), db.LockIndexer, 1)
	if err != nil || lease == nil {
		t.Fatalf("the lease after its release: %v, %v", lease, err)
	}
	if err := lease.Release(); err != nil {
		t.Error(err)
	}
}

// A pooler that gives each transaction another session is told apart, and named.
func TestOpen_RefusesAPoolerInTransactionMode(t *testing.T) {
	t.Parallel()
	_, err := db.Open(context.WithoutCancel(t.Context()), pooled(t, testenv.DatabaseURL(t), "transaction"), slog.New(slog.DiscardHandler))
	if !db.IsKind(err, db.KindSetup) || !strings.Contains(err.Error(), "gives each transaction another session; set the pooler to session mode") {
		t.Errorf("open: %v, want to be told to use the session mode", err)
	}
}
