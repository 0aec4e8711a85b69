package pgserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	startTimeout = 5 * time.Minute // includes the recovery after a crash
	stopTimeout  = 30 * time.Second
	endTimeout   = 15 * time.Second // how long the last processes of a killed server may take to end
)

// prepare returns the cluster for an installation. It makes missing data. Their folder gets its final name only when
// they are complete. Data of other major versions stay as they are. The caller has the lock, and no server runs.
func (s *Server) prepare(ctx context.Context, l layout, installed Installation) (Cluster, error) {
	cluster := l.cluster(installed.Major())
	cluster.Installation = installed
	if exists(cluster.Data) {
		return cluster, nil
	}
	for _, other := range l.clusters() {
		s.logger.WarnContext(ctx, "the index is built again from the files with another version of PostgreSQL, and "+
			"compound-docs ingest fills the handbook; the folder of the former version is not used any more",
			"version", installed.PostgreSQL, "former", other.Data)
	}
	unfinished := cluster
	unfinished.Data = filepath.Join(l.folder, "new")
	if err := os.RemoveAll(unfinished.Data); err != nil { // an interrupted process may have left it
		return cluster, err
	}
	if err := MakePrivate(unfinished.Data, cluster.Account); err != nil {
		return cluster, err
	}
	if err := unfinished.Init(ctx, s.initdb...); err != nil {
		return cluster, err
	}
	return cluster, os.Rename(unfinished.Data, cluster.Data)
}

// launch starts the server of a cluster and returns when it accepts connections. The server outlives
// this process. The caller has the lock.
func (s *Server) launch(ctx context.Context, l layout, c Cluster) error {
	for _, folder := range []string{c.Socket, c.Data} { // PostgreSQL refuses a data folder that others may enter
		if err := MakePrivate(folder, c.Account); err != nil {
			return err
		}
	}
	for _, unreachable := range l.clusters() {
		if _, err := unreachable.stop(ctx); err != nil {
			return err
		}
	}
	if err := c.disown(); err != nil {
		return err
	}
	path := filepath.Join(l.folder, "log")
	_ = os.Rename(path, path+".1") // keep the previous log, if any
	log, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // the server has its own handle
	// Many small processes share the server, so it needs many connections.
	own := []string{"cluster_name=compound-docs", "max_connections=200", "log_checkpoints=off"}
	settings := strings.Join(c.Settings(append(own, s.settings...)...), " ")
	for deadline := time.Now().Add(endTimeout); ; time.Sleep(time.Second / 4) {
		start := c.command(ctx, "pg_ctl", "start", "--wait", "--timeout", strconv.Itoa(int(startTimeout.Seconds())), "-o", settings)
		// pg_ctl passes arguments to a shell without quotes, so the folder is in the environment instead.
		start.Env = append(start.Env, "PGDATA="+c.Data)
		start.Stdout, start.Stderr = log, log
		err = start.Run()
		// Try again if a process of a killed server has not noticed the server's end yet.
		if err == nil || !strings.Contains(causesIn(path), "shared memory block") || ctx.Err() != nil || time.Now().After(deadline) {
			break
		}
	}
	if err != nil {
		return &Error{
			Err:  fmt.Errorf("PostgreSQL does not start: %s (%w)", causesIn(path), err),
			Hint: "try again; its log is " + path + ". If its folder is damaged, " + c.setAside(),
		}
	}
	return l.keepStarted(c.Installation)
}

// setAside returns the remedy for a damaged data folder, as text for an error message.
func (c Cluster) setAside() string {
	return fmt.Sprintf("run: mv '%s' '%s' && compound-docs up. "+
		"The index is built again from the files, and compound-docs ingest fills the handbook",
		c.Data, filepath.Join(filepath.Dir(c.Data), "damaged-"+filepath.Base(c.Data)))
}

// stop shuts down the server of a cluster, and reports whether a server ran. It does not use PostgreSQL's programs,
// because somebody may have removed the programs. The caller has the lock.
func (c Cluster) stop(ctx context.Context) (bool, error) {
	pid, _, _, err := c.readPostmaster()
	if err != nil || !c.isServer(pid) {
		return false, nil //nolint:nilerr // no server runs without the file
	}
	if err := interrupt(pid); err != nil {
		return true, fmt.Errorf("stop PostgreSQL: %w", err)
	}
	const often = 50 * time.Millisecond
	for deadline := time.Now().Add(stopTimeout); c.isServer(pid); time.Sleep(often) {
		if time.Now().After(deadline) || ctx.Err() != nil {
			return true, fmt.Errorf("PostgreSQL, process %d, has not stopped yet", pid)
		}
	}
	return true, nil
}

// disown makes PostgreSQL start although a killed server has left a postmaster.pid. PostgreSQL refuses to start while
// any process has the process number in this file. A new process may have got the number, and a killed process keeps
// its number until its parent waits. So disown writes the number of this process into the file: PostgreSQL ignores the
// process that runs pg_ctl. The file itself must stay, because it names shared memory that processes of the killed
// server may still use. disown also removes the lock of the socket, which contains the number and nothing else of use.
func (c Cluster) disown() error {
	if err := os.Remove(socketPath(c.Socket) + ".lock"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, text, err := c.openPostmaster(os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // writes return their own errors
	pid, rest, ok := strings.Cut(text, "\n")
	if _, err := strconv.Atoi(strings.TrimSpace(pid)); err != nil || !ok {
		return os.Remove(file.Name())
	}
	own := strconv.Itoa(os.Getpid()) + "\n" + rest
	if err := file.Truncate(int64(len(own))); err != nil {
		return err
	}
	_, err = file.WriteAt([]byte(own), 0)
	return err
}

// causesIn returns the lines of a log that say why PostgreSQL does not start, or why the log cannot be read.
func causesIn(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return causes(string(text))
}

// severity matches the severity in a line of postgres's log, and the rest of the line. otherCause matches a cause of
// failure in the output of another program of PostgreSQL.
var (
	severity   = regexp.MustCompile(`(PANIC|FATAL|ERROR): .*`)
	otherCause = regexp.MustCompile(`\b(error:|could not|No space left|lock file)`)
)

// causes returns the last lines of an output that name a cause of failure. If no line names a cause, it returns the
// last lines. The result is short enough for an error message.
func causes(output string) string {
	const most, longest = 3, 220
	var named, all []string
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line == "" || line == "pg_ctl: could not start server" || line == "Examine the log output." {
			continue
		}
		line = cmp.Or(severity.FindString(line), line)
		all = append(all, line)
		if severity.MatchString(line) || otherCause.MatchString(line) {
			named = append(named, line)
		}
	}
	if len(named) == 0 {
		named = all
	}
	text := strings.Join(named[max(0, len(named)-most):], "; ")
	return strings.ToValidUTF8(text[max(0, len(text)-longest):], "")
}
