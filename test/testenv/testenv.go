// Package testenv provides the services of the project, for tests, the demo and
// benchmarks: a real PostgreSQL with pgvector and a real Ollama.
//
// Each is reached by the first of these routes:
//
//  1. the server that CDOCS_TEST_DATABASE_URL or CDOCS_TEST_OLLAMA_HOST names;
//  2. a native process, if a PostgreSQL can be had or no Docker engine answers. The
//     database is a private cluster in memory or in a temporary folder, of the
//     PostgreSQL that comes with the program, or this machine's. Ollama is built from its Go
//     module, with the stand-in models of package tinymodel;
//  3. a container.
//
// CDOCS_TEST_ROUTE set to containers or native chooses between 2 and 3. With
// containers, images are pulled, or built from scripts/ if no registry answers.
// Labels in Docker name the owner of each object. It is removed when the process
// ends, or by a later process if this one was killed.
//
// The package knows how to start and stop services, and to migrate. It must not know the
// project's tables, nor the use of a model. It runs on Unix only.
package testenv

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Variables that choose a service, and that the command "withservices" sets for the services it has
// started.
const (
	EnvDatabaseURL  = "CDOCS_TEST_DATABASE_URL"  // of a role that may create databases and the extension vector
	EnvOllamaHost   = "CDOCS_TEST_OLLAMA_HOST"   // such as http://localhost:11434
	EnvOllamaModels = "CDOCS_TEST_OLLAMA_MODELS" // "tiny" or "real"; set by "withservices"
	EnvServices     = "CDOCS_TEST_SERVICES"      // the services of "withservices", in words
	EnvProgram      = "CDOCS_TEST_PROGRAM"       // the file of the program, built by "withservices"
)

// Logf reports progress that takes a while, such as building Ollama.
type Logf func(format string, args ...any)

// shared is a service that all tests of a process use. It is opened by the
// first one that asks.
type shared[T interface{ Stop() error }] struct {
	open  sync.Once
	value T
	err   error
}

// stop stops the service if it was opened. It can be opened no more.
func (s *shared[T]) stop() error {
	s.open.Do(func() { s.err = errors.New("the tests have ended") })
	if s.err == nil {
		return s.value.Stop()
	}
	return nil
}

// services are those of this process.
//
//nolint:gochecknoglobals // tests of a package share only the process
var services struct {
	main     bool // Main is running
	database shared[*Database]
	index    shared[*template]
	prepared shared[*template] // of PreparedURL
	ollama   shared[*Ollama]
	program  shared[program]
}

// Main runs the tests of a package, then stops the services that they have
// started. A package whose tests call DatabaseURL, OllamaHost or Program needs
//
//	func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }
//
// The services stop on SIGINT and SIGTERM too, and when the process has lost its
// parent. The go command dies of SIGTERM without a word to its tests.
func Main(m *testing.M) int {
	services.main = true
	// The go command may have died of the same signal. Output of the tests must not end this
	// process before it has stopped the services.
	signal.Ignore(syscall.SIGPIPE)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	finished := make(chan int, 1)
	go func() { finished <- m.Run() }()
	code := waitForEnd(finished, signals)
	err := errors.Join(services.index.stop(), services.prepared.stop(), services.database.stop(), services.ollama.stop(),
		services.program.stop())
	if err != nil {
		fmt.Fprintln(os.Stderr, "testenv:", err)
		code = max(code, 1)
	}
	return code
}

// waitForEnd returns the exit status of the tests, or of a process that a signal or
// the loss of its parent ends.
func waitForEnd(finished <-chan int, signals <-chan os.Signal) int {
	parent, poll := os.Getppid(), time.NewTicker(time.Second)
	defer poll.Stop()
	for {
		select {
		case code := <-finished:
			return code
		case <-signals:
			return 130
		case <-poll.C:
			if os.Getppid() != parent {
				return 1
			}
		}
	}
}

// startTimeout is for all that starting a service may take. Building Ollama
// takes some minutes, once.
const startTimeout = 15 * time.Minute

func sharedService[T interface{ Stop() error }](t testing.TB, s *shared[T], open func(context.Context, Logf) (T, error)) T {
	t.Helper()
	if !services.main {
		t.Fatal("testenv: the package needs: func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }")
	}
	s.open.Do(func() {
		ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
		defer cancel()
		s.value, s.err = open(ctx, t.Logf)
	})
	if s.err != nil {
		t.Fatal("testenv:", s.err)
	}
	return s.value
}

// OllamaHost returns the URL of an Ollama with the models mxbai-embed-large and
// mistral, shared by all tests of the process and, possibly, by others.
func OllamaHost(t testing.TB) string {
	t.Helper()
	return sharedService(t, &services.ollama, OpenOllama).Host
}

// OllamaModels tells which models the server of OllamaHost has: the real ones, or stand-ins, which
// know no meaning.
func OllamaModels(t testing.TB) Models {
	t.Helper()
	return sharedService(t, &services.ollama, OpenOllama).Models
}

// DatabaseURL creates an empty database and returns its URL. The database is
// dropped when the test ends, even with connections open. Its role may create
// the extension vector.
func DatabaseURL(t testing.TB) string {
	t.Helper()
	return databaseOf(t, emptyTemplate)
}

// IndexURL is DatabaseURL with the project's tables, without a row. It is a copy: to migrate costs the
// server three times as much.
func IndexURL(t testing.TB) string {
	t.Helper()
	return copyOf(t, &services.index, migrate)
}

// PreparedURL is IndexURL with the rows that prepare writes, once for all tests of the process: they
// have one prepare.
func PreparedURL(t testing.TB, prepare func(ctx context.Context, databaseURL string) error) string {
	t.Helper()
	return copyOf(t, &services.prepared, migrate, prepare)
}

// copyOf creates a copy of a template until the test ends. The steps make the template.
func copyOf(t testing.TB, made *shared[*template], steps ...func(ctx context.Context, databaseURL string) error) string {
	t.Helper()
	server := databaseServer(t)
	source := sharedService(t, made, func(ctx context.Context, _ Logf) (*template, error) {
		return newTemplate(ctx, server.URL, steps)
	})
	return databaseOf(t, source.name)
}

func databaseServer(t testing.TB) *Database {
	t.Helper()
	return sharedService(t, &services.database, func(ctx context.Context, logf Logf) (*Database, error) {
		return OpenDatabase(ctx, Small, logf)
	})
}

// databaseOf creates a copy of a template until the test ends.
func databaseOf(t testing.TB, template string) string {
	t.Helper()
	database, drop, err := copyDatabase(t.Context(), databaseServer(t).URL, template)
	if err != nil {
		t.Fatal("testenv:", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
		defer cancel()
		if err := drop(ctx); err != nil {
			t.Error("testenv:", err)
		}
	})
	return database
}

// Source returns the source of a database for db.NewDatabase, which always has the same URL.
func Source(url string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return url, nil }
}

// NewDatabase creates an empty database on a server, and returns its URL and what
// drops it, even with connections open.
func NewDatabase(ctx context.Context, server string) (database string, drop func(context.Context) error, err error) {
	return copyDatabase(ctx, server, emptyTemplate)
}

// emptyTemplate is PostgreSQL's own.
const emptyTemplate = "template0"

// copyDatabase is NewDatabase for a copy of a template. The server copies files: PostgreSQL's default, to
// write each page to the log too, costs twice as much processor time.
func copyDatabase(ctx context.Context, server, template string) (database string, drop func(context.Context) error, err error) {
	u, err := url.Parse(server)
	if err != nil {
		return "", nil, errors.New("the database URL is not a URL") // err would quote its password
	}
	name := "cdocs_test_" + strings.ToLower(rand.Text())
	u.Path = "/" + name
	if err := execute(ctx, server, "CREATE DATABASE "+name+" TEMPLATE "+template+" STRATEGY file_copy ENCODING 'UTF8'"); err != nil {
		return "", nil, err
	}
	return u.String(), func(ctx context.Context) error {
		return execute(ctx, server, "DROP DATABASE "+name+" WITH (FORCE)")
	}, nil
}

// RemakeDatabase drops a database, even with connections open, and makes an empty one of
// the same name.
func RemakeDatabase(t testing.TB, databaseURL string) {
	t.Helper()
	u, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal("testenv: the database URL is not a URL")
	}
	name := strings.TrimPrefix(u.Path, "/")
	u.Path = "/postgres"
	for _, statement := range []string{
		"DROP DATABASE " + name + " WITH (FORCE)",
		"CREATE DATABASE " + name + " TEMPLATE template0 ENCODING 'UTF8'",
	} {
		if err := execute(t.Context(), u.String(), statement); err != nil {
			t.Fatal("testenv:", err)
		}
	}
}

// execute runs one statement over a new connection.
func execute(ctx context.Context, databaseURL, statement string) error {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	_, err = conn.Exec(ctx, statement)
	if err := errors.Join(err, conn.Close(ctx)); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}
