package testenv

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/internal/pgversion"
)

// Database is a PostgreSQL server with pgvector.
type Database struct {
	URL        string // of a role that may create databases, on an existing database
	Route      string // how it was reached; no password in it
	PostgreSQL string // version, such as "15.18"
	Pgvector   string // version, such as "0.8.0"
	Programs   string // folder of its programs, of a private cluster

	stop func() error
}

// Size is the load that a server of this package is configured for.
type Size int

// Sizes.
const (
	// Small is for tests, which create and drop databases by the hundred: some file
	// systems take longer for that than the tests themselves, so that the server
	// keeps its files in memory where that has room.
	Small Size = iota
	// Large is for benchmarks: on disk, with a quarter of the memory for buffers, as PostgreSQL's
	// manual advises for a dedicated machine.
	Large
)

// inMemory reports whether the server's files belong in memory.
func (s Size) inMemory() bool {
	free, _ := memoryFolderFree()
	return s == Small && free >= memoryNeeded
}

// OpenDatabase returns the server that CDOCS_TEST_DATABASE_URL names, or starts
// one on the route that ChooseRoute returns. The caller must Stop it.
func OpenDatabase(ctx context.Context, size Size, logf Logf) (*Database, error) {
	database := &Database{
		URL:   os.Getenv(EnvDatabaseURL),
		Route: "given by " + EnvDatabaseURL,
		stop:  func() error { return nil },
	}
	if database.URL == "" {
		started, err := startDatabase(ctx, size, logf)
		if err != nil {
			return nil, err
		}
		database = started
	}
	if err := database.readVersions(ctx); err != nil {
		return nil, errors.Join(err, database.Stop())
	}
	return database, nil
}

func startDatabase(ctx context.Context, size Size, logf Logf) (*Database, error) {
	route, err := ChooseRoute(ctx)
	if err != nil {
		return nil, err
	}
	if route == ContainersRoute {
		return startDatabaseContainer(ctx, size, logf)
	}
	return startCluster(ctx, size, logf)
}

// Stop stops the server, if it is a private one, and removes all it has
// written. It may be called once.
func (d *Database) Stop() error { return d.stop() }

// String describes the server in a line, for people.
func (d *Database) String() string {
	return fmt.Sprintf("PostgreSQL %s with pgvector %s (%s)", d.PostgreSQL, d.Pgvector, d.Route)
}

// readVersions asks the server for its versions and refuses old ones.
func (d *Database) readVersions(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, d.URL)
	if err != nil {
		return fmt.Errorf("connect to PostgreSQL (%s): %w", d.Route, err)
	}
	err = conn.QueryRow(ctx, `
		SELECT split_part(current_setting('server_version'), ' ', 1),
		       coalesce((SELECT default_version FROM pg_available_extensions WHERE name = 'vector'), '')`,
	).Scan(&d.PostgreSQL, &d.Pgvector)
	if err := errors.Join(err, conn.Close(ctx)); err != nil {
		return fmt.Errorf("read the versions of PostgreSQL: %w", err)
	}
	if !pgversion.Supported(d.PostgreSQL, d.Pgvector) {
		return fmt.Errorf("PostgreSQL %s with pgvector %q (%s) is too old: %s with %s or newer is needed",
			d.PostgreSQL, d.Pgvector, d.Route, pgversion.OldestPostgreSQL, pgversion.OldestPgvector)
	}
	return nil
}
