package testenv

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Database is a PostgreSQL server with pgvector.
type Database struct {
	URL        string // of a role that may create databases, on an existing database
	Route      string // how it was reached; no password in it
	PostgreSQL string // version, such as "15.18"
	Pgvector   string // version, such as "0.8.0"

	stop func() error
}

// Size is what a server that this package starts is made for.
type Size int

// Sizes.
const (
	// Small is for tests, which create and drop databases by the hundred: some file
	// systems take longer for that than the tests themselves, so that the server
	// keeps its files in memory where that has room.
	Small Size = iota
	// Large is for benchmarks: on disk, with a quarter of the memory for buffers,
	// which PostgreSQL's manual advises for a server of its own.
	Large
)

// inMemory reports whether the server's files belong in memory.
func (s Size) inMemory() bool { return s == Small && memoryFolderFree() >= memoryNeeded }

// OpenDatabase returns the server that CDOCS_TEST_DATABASE_URL names, or starts
// one on the route that ChooseRoute returns. The caller must Stop it.
func OpenDatabase(ctx context.Context, size Size, logf Logf) (*Database, error) {
	database := &Database{
		URL:   os.Getenv(EnvDatabaseURL),
		Route: "given by " + EnvDatabaseURL,
		stop:  func() error { return nil },
	}
	if database.URL == "" {
		var err error
		if database, err = startDatabase(ctx, size, logf); err != nil {
			return nil, err
		}
	}
	if err := database.readVersions(ctx); err != nil {
		return nil, errors.Join(err, database.Stop())
	}
	return database, nil
}

func startDatabase(ctx context.Context, size Size, logf Logf) (*Database, error) {
	route, err := ChooseRoute(ctx, logf)
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

// Oldest versions that the project works with.
const (
	minPostgreSQL = 15
	minPgvector   = "0.8"
)

// readVersions asks the server for its versions and refuses ones that are too
// old.
func (d *Database) readVersions(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, d.URL)
	if err != nil {
		return fmt.Errorf("connect to PostgreSQL (%s): %w", d.Route, err)
	}
	var number int
	err = conn.QueryRow(ctx, `
		SELECT split_part(current_setting('server_version'), ' ', 1),
		       current_setting('server_version_num')::int,
		       coalesce((SELECT default_version FROM pg_available_extensions WHERE name = 'vector'), '')`,
	).Scan(&d.PostgreSQL, &number, &d.Pgvector)
	if err = errors.Join(err, conn.Close(ctx)); err != nil {
		return fmt.Errorf("read the versions of PostgreSQL: %w", err)
	}
	if number/10000 < minPostgreSQL {
		return fmt.Errorf("PostgreSQL %s (%s) is too old: version %d or newer is needed", d.PostgreSQL, d.Route, minPostgreSQL)
	}
	if !atLeast(d.Pgvector, minPgvector) {
		return fmt.Errorf("PostgreSQL %s (%s) has no pgvector %s or newer (found %q)", d.PostgreSQL, d.Route, minPgvector, d.Pgvector)
	}
	return nil
}

// atLeast compares two versions of numbers and dots. A version that lacks
// numbers, or is not one, counts as 0 in them.
func atLeast(version, minimum string) bool {
	for minimum != "" {
		var have, want int
		var v, m string
		v, version, _ = strings.Cut(version, ".")
		m, minimum, _ = strings.Cut(minimum, ".")
		_, _ = fmt.Sscanf(v, "%d", &have)
		_, _ = fmt.Sscanf(m, "%d", &want)
		if have != want {
			return have > want
		}
	}
	return true
}

// socketURL returns the URL of a database of the private cluster in a folder.
func socketURL(folder, database string) string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.User(superuser),
		Path:     "/" + database,
		RawQuery: url.Values{"host": {folder}}.Encode(),
	}
	return u.String()
}
