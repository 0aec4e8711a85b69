package pgserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

const (
	superuser    = "postgres"
	databaseName = "postgres"
	// port is part of the name of the socket. Nothing listens on it.
	port = 5432
	// maxSocketPath is the shortest limit among Unixes for the path of a socket,
	// macOS's, with its terminating zero.
	maxSocketPath = 104
)

// Cluster is a PostgreSQL cluster of this machine, running or not. It listens on a Unix
// socket only.
type Cluster struct {
	Installation Installation
	Data         string   // folder of its files
	Socket       string   // folder of its socket, closed to other users
	Account      *Account // that owns both folders; nil for this process's
}

// URL returns the URL of the cluster's one database, for a superuser.
func (c Cluster) URL() string {
	u := url.URL{
		Scheme: "postgres",
		User:   url.User(superuser),
		Path:   "/" + databaseName,
		// The port is given too, since PGPORT may name another.
		RawQuery: url.Values{"host": {c.Socket}, "port": {strconv.Itoa(port)}}.Encode(),
	}
	return u.String()
}

// FitsSocket reports whether a folder can hold a socket: its path is short enough, and has no
// character with a meaning in PostgreSQL's list of folders or in a URL, such as a space or a
// comma.
func FitsSocket(folder string) bool {
	const safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-"
	unsafe := func(r rune) bool { return !strings.ContainsRune(safe, r) }
	return len(socketPath(folder)) < maxSocketPath && !strings.ContainsFunc(folder, unsafe)
}

func socketPath(folder string) string {
	return filepath.Join(folder, ".s.PGSQL."+strconv.Itoa(port))
}

// environment returns the environment of PostgreSQL's programs. initdb takes the locale of
// the cluster from it.
func environment() []string {
	locale := "C"
	if runtime.GOOS == "linux" {
		locale = "C.UTF-8" // knows upper and lower case of all letters; macOS has no such locale
	}
	return []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=" + locale}
}

// Init makes the cluster's files, with further arguments for initdb.
func (c Cluster) Init(ctx context.Context, arguments ...string) error {
	//nolint:gosec // a program that Find has found
	initdb := exec.CommandContext(ctx, c.Installation.program("initdb"), append([]string{
		"--pgdata", c.Data, "--username", superuser, "--auth", "trust", "--encoding", "UTF8", "--no-instructions",
	}, arguments...)...)
	initdb.Dir, initdb.Env = filepath.Dir(c.Data), environment()
	initdb.SysProcAttr = attributes(c.Account)
	if text, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, text)
	}
	return nil
}

// Settings returns the arguments with which postgres serves the cluster, with further settings
// such as fsync=off.
func (c Cluster) Settings(settings ...string) []string {
	var arguments []string
	for _, setting := range append([]string{
		"listen_addresses=",
		"port=" + strconv.Itoa(port),
		socketSetting + c.Socket,
		"unix_socket_permissions=0700",
	}, settings...) {
		arguments = append(arguments, "-c", setting)
	}
	return arguments
}

// socketSetting tells a server of ours from other processes, by its command line.
const socketSetting = "unix_socket_directories="

// Ready returns nil if the server accepts connections.
func (c Cluster) Ready(ctx context.Context) error {
	server, err := readPostmaster(c.Data)
	if err != nil {
		return err
	}
	if server.status != "ready" || server.socket != c.Socket {
		return fmt.Errorf("the server is %s", server.status)
	}
	dialer := net.Dialer{Timeout: time.Second}
	conn, err := dialer.DialContext(ctx, "unix", socketPath(c.Socket))
	if err == nil {
		err = conn.Close()
	}
	if err != nil {
		return fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	return nil
}

// postmaster holds the facts that a server writes into postmaster.pid.
type postmaster struct {
	pid    int
	socket string
	status string // ready, starting, stopping
}

const postmasterFile = "postmaster.pid"

// readPostmaster reads postmaster.pid. The error is [fs.ErrNotExist] if no server runs and
// none was killed.
func readPostmaster(data string) (postmaster, error) {
	text, err := os.ReadFile(filepath.Join(data, postmasterFile))
	if err != nil {
		return postmaster{}, err
	}
	lines := strings.Split(string(text), "\n")
	p := postmaster{status: "starting"}
	if p.pid, err = strconv.Atoi(strings.TrimSpace(lines[0])); err != nil || p.pid <= 0 {
		return postmaster{}, errors.New(postmasterFile + " has no process in it")
	}
	const socketLine, statusLine = 4, 7
	if len(lines) > statusLine {
		p.socket, p.status = strings.TrimSpace(lines[socketLine]), strings.TrimSpace(lines[statusLine])
	}
	return p, nil
}
