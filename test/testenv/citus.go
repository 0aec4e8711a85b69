package testenv

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// EnvCitus is set by make test-citus, which sees to it that Citus is installed.
const EnvCitus = "CDOCS_TEST_CITUS"

// citusDatabase is the database of docs/teams.md.
const citusDatabase = "compound_docs"

// citusRoles are those of docs/teams.md, one statement each: Citus makes them on the workers too.
var citusRoles = []string{
	"CREATE ROLE cdocs_owner LOGIN",
	"CREATE ROLE cdocs_member LOGIN",
	"GRANT CREATE, USAGE ON SCHEMA public TO cdocs_owner",
	"GRANT USAGE ON SCHEMA public TO cdocs_member",
	"ALTER DEFAULT PRIVILEGES FOR ROLE cdocs_owner IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO cdocs_member",
	"ALTER DATABASE " + citusDatabase + " OWNER TO cdocs_owner",
}

// Citus is a cluster of Citus of one test: a coordinator and two workers, whose database
// has the roles of docs/teams.md and no tables.
type Citus struct {
	Coordinator *Cluster
	Workers     []*Cluster
}

// StartCitus starts the servers, which are removed when the test ends. Outside of
// make test-citus the test is skipped.
func StartCitus(t testing.TB) *Citus {
	t.Helper()
	if os.Getenv(EnvCitus) == "" {
		t.Skip("left to make test-citus")
	}
	c := &Citus{Workers: make([]*Cluster, 2)}
	for _, server := range []**Cluster{&c.Coordinator, &c.Workers[0], &c.Workers[1]} {
		*server = startClusterWith(t, initialize, "shared_preload_libraries=citus", "wal_level=logical")
		// libpq takes the folder of a socket for a host. A server reaches itself by the local one.
		(*server).run(t, (*server).URL(), "CREATE DATABASE "+citusDatabase,
			"ALTER SYSTEM SET citus.local_hostname = '"+(*server).Folder()+"'", "SELECT pg_reload_conf()")
		(*server).run(t, (*server).citusURL("postgres"), "CREATE EXTENSION citus", "CREATE EXTENSION vector")
	}
	c.Run(t, "SELECT citus_set_coordinator_host('"+c.Coordinator.Folder()+"')")
	for _, worker := range c.Workers {
		c.Run(t, "SELECT citus_add_node('"+worker.Folder()+"', 5432)")
	}
	c.Run(t, citusRoles...)
	return c
}

// URL is of the coordinator's database, for one of the roles cdocs_owner, cdocs_member and
// postgres.
func (c *Citus) URL(role string) string { return c.Coordinator.citusURL(role) }

// Run executes statements on the coordinator, as a superuser.
func (c *Citus) Run(t testing.TB, statements ...string) {
	t.Helper()
	c.Coordinator.run(t, c.URL("postgres"), statements...)
}

// RunFile runs a file of psql on the coordinator, as the owner.
func (c *Citus) RunFile(t testing.TB, file string) {
	t.Helper()
	psql := filepath.Join(c.Coordinator.cluster.Installation.Bin, "psql")
	command := exec.CommandContext(t.Context(), psql, c.URL("cdocs_owner"), "--quiet", "--file", file) //nolint:gosec // PostgreSQL's
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("testenv: psql: %v\n%s", err, out)
	}
}

// WorkerOf returns the worker that has the rows of a project.
func (c *Citus) WorkerOf(t testing.TB, projectName string) *Cluster {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.URL("postgres"))
	if err != nil {
		t.Fatal("testenv:", err)
	}
	defer conn.Close(t.Context()) //nolint:errcheck //nolint:errcheck // reads only
	var folder string
	err = conn.QueryRow(t.Context(), `SELECT s.nodename FROM projects p JOIN citus_shards s
		ON s.shardid = get_shard_id_for_distribution_column('tenants', p.id) WHERE p.name = $1`, projectName).Scan(&folder)
	if err != nil {
		t.Fatal("testenv:", err)
	}
	for _, worker := range c.Workers {
		if worker.Folder() == folder {
			return worker
		}
	}
	t.Fatal("testenv: no worker is at ", folder)
	return nil
}

// Folder is where the server's socket is: its name among the nodes of Citus.
func (c *Cluster) Folder() string { return c.cluster.Socket }

func (c *Cluster) citusURL(role string) string {
	return strings.Replace(strings.Replace(c.URL(), "postgres@", role+"@", 1), "/postgres?", "/"+citusDatabase+"?", 1)
}

func (*Cluster) run(t testing.TB, databaseURL string, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if err := execute(t.Context(), databaseURL, statement); err != nil {
			t.Fatal("testenv:", err)
		}
	}
}
