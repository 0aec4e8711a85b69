package pgserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// prepare returns the cluster for an installation: it makes one if there is none, and
// moves one of an older version. The caller has the lock, and no server runs.
func (s *Server) prepare(ctx context.Context, p place, found Installation) (Cluster, error) {
	majors := p.majors()
	cluster := p.cluster(found.Major())
	cluster.Installation = found
	var err error
	switch {
	case len(majors) == 0:
		err = s.create(ctx, p, cluster, nil)
	case majors[len(majors)-1] < found.Major():
		err = s.move(ctx, p, majors[len(majors)-1], cluster)
	case majors[len(majors)-1] > found.Major():
		err = versionError(majors[len(majors)-1], p.folder)
	}
	if err != nil {
		return Cluster{}, err
	}
	s.clean(ctx, p, found.Major())
	return cluster, nil
}

// versionError is the error for data whose version of PostgreSQL is not installed any more.
func versionError(major int, folder string) error {
	return &Error{
		Err: fmt.Errorf("the index was made by PostgreSQL %d, which this machine no longer has with its pgvector", major),
		Hint: fmt.Sprintf("install PostgreSQL %d and its pgvector again: the index is moved to a newer one if both are there; "+
			"or remove the folder %s: the index is built again from the files, and compound-docs ingest fills the handbook",
			major, filepath.Join(folder, strconv.Itoa(major))),
	}
}

// create makes a cluster and fills it. It has a temporary name until it is complete.
func (s *Server) create(ctx context.Context, p place, c Cluster, fill func(unfinished Cluster) error) error {
	unfinished := c
	unfinished.Data = filepath.Join(p.folder, "new-"+rand.Text())
	err := makePrivate(unfinished.Data, c.Account)
	if err == nil {
		err = unfinished.Init(ctx, s.initdb...)
	}
	if err == nil && fill != nil {
		err = fill(unfinished)
	}
	if err == nil {
		return os.Rename(unfinished.Data, c.Data)
	}
	return errors.Join(err, os.RemoveAll(unfinished.Data))
}

// The ports of the servers between which data is moved. Their sockets have other names than
// the usual server's, so that nobody else connects to them.
const (
	dumpPort    = port + 1
	restorePort = port + 2
)

// move makes a cluster with the data of an older version.
func (s *Server) move(ctx context.Context, p place, from int, to Cluster) error {
	old := p.cluster(from)
	old.port = dumpPort
	for _, found := range installations(ctx) {
		if found.Major() == from {
			old.Installation = found
		}
	}
	if old.Installation.Bin == "" {
		return versionError(from, p.folder)
	}
	s.logger.InfoContext(ctx, "moving the index to another version of PostgreSQL", "from", from, "to", to.Installation.Major())
	return s.create(ctx, p, to, func(unfinished Cluster) (err error) {
		unfinished.port = restorePort
		for _, c := range []Cluster{old, unfinished} {
			if err := s.launch(ctx, p, c); err != nil {
				return err
			}
			defer func() {
				_, stopErr := stop(context.WithoutCancel(ctx), c)
				err = errors.Join(err, stopErr)
			}()
		}
		return transfer(ctx, old, unfinished)
	})
}

// transfer copies the database of a server that runs to another, with the newer one's
// programs: these read every older version.
func transfer(ctx context.Context, from, to Cluster) error {
	address := func(c Cluster) []string {
		return []string{
			"--no-password", "--host", c.Socket, "--port", strconv.Itoa(c.portNumber()),
			"--username", superuser, "--dbname", databaseName,
		}
	}
	program := func(name string, errors *bytes.Buffer, arguments ...string) *exec.Cmd {
		command := exec.CommandContext(ctx, to.Installation.program(name), arguments...) //nolint:gosec // found by Find
		command.Env = append(environment(), "PGOPTIONS=-c maintenance_work_mem=256MB")   // indexes are built faster
		command.Stderr = errors
		return command
	}
	var dumpText, restoreText bytes.Buffer
	dump := program("pg_dump", &dumpText, address(from)...)
	restore := program("psql", &restoreText, append(address(to),
		"--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--file=-", "--command=ANALYZE")...)
	var err error
	if restore.Stdin, err = dump.StdoutPipe(); err != nil {
		return fmt.Errorf("move the index: %w", err)
	}
	if err := dump.Start(); err != nil {
		return fmt.Errorf("pg_dump: %w", err)
	}
	if err := restore.Run(); err != nil {
		err = fmt.Errorf("psql: %w\n%s", err, restoreText.String())
		return errors.Join(err, dump.Process.Kill(), dump.Wait())
	}
	if err := dump.Wait(); err != nil {
		return fmt.Errorf("pg_dump: %w\n%s", err, dumpText.String())
	}
	return nil
}

// clean removes the data of older versions, and of clusters that were never completed.
func (s *Server) clean(ctx context.Context, p place, major int) {
	unfinished, _ := fs.Glob(os.DirFS(p.folder), "new-*") // a pattern that is valid
	for _, older := range p.majors() {
		if older < major {
			unfinished = append(unfinished, strconv.Itoa(older))
		}
	}
	for _, name := range unfinished {
		folder := filepath.Join(p.folder, name)
		_, err := stop(ctx, Cluster{Data: folder})
		if err = errors.Join(err, os.RemoveAll(folder)); err != nil {
			s.logger.WarnContext(ctx, "an old folder of PostgreSQL is left", "folder", folder, "error", err)
		}
	}
}
