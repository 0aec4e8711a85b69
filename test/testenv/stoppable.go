package testenv

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/compound-docs/compound-docs/internal/setup/pgserver"
)

// Cluster is a PostgreSQL server of one test, which may stop it and start it
// again: data and address stay. Its methods are called by one goroutine at a time.
type Cluster struct {
	t        testing.TB
	cluster  cluster
	settings []string // such as wal_level=logical
	server   *process // nil while it is stopped
}

// StartCluster starts a server that is stopped and removed when the test ends. It skips the test on
// a machine without PostgreSQL.
func StartCluster(t testing.TB) *Cluster {
	t.Helper()
	return startClusterWith(t, initialize)
}

// StartStandby starts a server that follows another one and is read-only, as [StartCluster] does.
func StartStandby(t testing.TB, primary *Cluster) *Cluster {
	t.Helper()
	return startClusterWith(t, func(ctx context.Context, c cluster) error {
		//nolint:gosec // PostgreSQL's
		copied := exec.CommandContext(ctx, filepath.Join(c.Installation.Bin, "pg_basebackup"),
			"--pgdata", c.Data, "--dbname", primary.URL(), "--write-recovery-conf", "--checkpoint=fast", "--no-sync")
		copied.SysProcAttr = childAttributes(c.credential(), syscall.SIGKILL)
		if text, err := copied.CombinedOutput(); err != nil {
			return fmt.Errorf("pg_basebackup: %w\n%s", err, text)
		}
		return nil
	})
}

func startClusterWith(t testing.TB, fill func(context.Context, cluster) error, settings ...string) *Cluster {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	made, folder, err := newCluster(ctx, Small, t.Logf, fill)
	if errors.Is(err, pgserver.ErrNotInstalled) {
		t.Skip("testenv:", err)
	}
	if err != nil {
		t.Fatal("testenv:", err)
	}
	// What is committed is in the kernel's hands, so that it survives a crash.
	c := &Cluster{t: t, cluster: made, settings: append(settings, "synchronous_commit=on")}
	t.Cleanup(func() {
		c.end(syscall.SIGQUIT)
		if err := folder.remove(); err != nil {
			t.Error("testenv:", err)
		}
	})
	c.Start()
	return c
}

// URL is of an empty database, for a role that may create the extension vector.
func (c *Cluster) URL() string { return c.cluster.URL() }

// Start starts the server, and returns when it answers.
func (c *Cluster) Start() {
	c.t.Helper()
	server, err := c.cluster.serve(c.t.Context(), c.settings...)
	if err != nil {
		c.t.Fatal("testenv:", err)
	}
	c.server = server
}

// Stop ends the server as an administrator does: it rolls back what is under way,
// tells its clients, and ends.
func (c *Cluster) Stop() {
	c.t.Helper()
	c.end(syscall.SIGINT)
}

// Crash ends the server at once; its next start recovers what was committed.
func (c *Cluster) Crash() {
	c.t.Helper()
	c.end(syscall.SIGQUIT)
}

func (c *Cluster) end(signal syscall.Signal) {
	c.t.Helper()
	if c.server == nil {
		return
	}
	if err := c.server.stop(signal); err != nil {
		c.t.Error("testenv:", err)
	}
	c.server = nil
}
