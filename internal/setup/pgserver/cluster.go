package pgserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
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
	// port is only a part of the socket's name. The server listens on no port.
	port = 5432
	// maxSocketPath is the limit of macOS for the bytes in the path of a socket, the lowest of all Unix systems.
	maxSocketPath = 104
)

// Cluster is a data folder of PostgreSQL and its server, running or not. The server listens only on a Unix socket.
type Cluster struct {
	Installation Installation
	Data         string   // folder of the data
	Socket       string   // folder of the socket, closed to other users
	Account      *Account // owner of both folders; nil for the account of this process
}

// URL returns the URL of the cluster's only database, for its superuser.
func (c Cluster) URL() string {
	u := url.URL{
		Scheme: "postgres",
		User:   url.User(superuser),
		Path:   "/" + databaseName,
		// Without a port in the URL, the environment variable PGPORT could set another port.
		RawQuery: url.Values{"host": {c.Socket}, "port": {strconv.Itoa(port)}}.Encode(),
	}
	return u.String()
}

// FitsSocket reports whether a folder can hold a socket. The folder's path must be short. It must not have characters
// with a meaning in a URL or in PostgreSQL's list of folders, such as a comma.
func FitsSocket(folder string) bool {
	const safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-"
	unsafe := func(r rune) bool { return !strings.ContainsRune(safe, r) }
	return len(socketPath(folder)) < maxSocketPath && !strings.ContainsFunc(folder, unsafe)
}

func socketPath(folder string) string {
	return filepath.Join(folder, ".s.PGSQL."+strconv.Itoa(port))
}

// command returns a command that runs one of PostgreSQL's programs as the cluster's account.
func (c Cluster) command(ctx context.Context, program string, arguments ...string) *exec.Cmd {
	locale := "C" // initdb takes the locale from the environment
	if runtime.GOOS == "linux" {
		locale = "C.UTF-8" // this locale knows the case of all letters; macOS does not have it
	}
	command := exec.CommandContext(ctx, c.Installation.program(program), arguments...) //nolint:gosec // found by Find
	command.Dir, command.Env = filepath.Dir(c.Data), []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=" + locale}
	command.SysProcAttr = attributes(c.Account)
	return command
}

// Init makes the cluster's data with initdb. arguments are further arguments of initdb.
func (c Cluster) Init(ctx context.Context, arguments ...string) error {
	initdb := c.command(ctx, "initdb", append([]string{
		"--pgdata", c.Data, "--username", superuser, "--auth", "trust", "--encoding", "UTF8", "--no-instructions",
	}, arguments...)...)
	if text, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("PostgreSQL's initdb fails: %s (%w)", causes(string(text)), err)
	}
	return nil
}

// Settings returns the arguments with which postgres serves the cluster. settings are further settings, such as
// fsync=off.
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

// socketSetting is in the command line of each of our servers, so that isServer recognises our servers.
const socketSetting = "unix_socket_directories="

// Ready returns nil if the server accepts connections.
func (c Cluster) Ready(ctx context.Context) error {
	_, socket, status, err := c.readPostmaster()
	if err != nil {
		return err
	}
	if status != "ready" || socket != c.Socket {
		return fmt.Errorf("the server is %s", cmp.Or(status, "starting"))
	}
	dialer := net.Dialer{Timeout: time.Second}
	conn, err := dialer.DialContext(ctx, "unix", socketPath(c.Socket))
	if err != nil {
		return fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	_ = conn.Close() // the server has answered
	return nil
}

const postmasterFile = "postmaster.pid"

// openPostmaster opens postmaster.pid, which a running server keeps, and returns its text. The caller must close file.
func (c Cluster) openPostmaster(flag int) (file *os.File, text string, err error) {
	file, err = openOwn(filepath.Join(c.Data, postmasterFile), flag, c.Account)
	if err != nil {
		return nil, "", err
	}
	const most = 64 << 10
	all, err := io.ReadAll(io.LimitReader(file, most))
	if err != nil {
		return nil, "", errors.Join(err, file.Close())
	}
	return file, string(all), nil
}

// readPostmaster reads postmaster.pid. status is "" at first, then starting, ready or stopping. The error is
// [fs.ErrNotExist] if no server runs and no killed server has left the file.
func (c Cluster) readPostmaster() (pid int, socket, status string, err error) {
	file, text, err := c.openPostmaster(os.O_RDONLY)
	if err != nil {
		return 0, "", "", err
	}
	_ = file.Close() // the file was only read
	const socketLine, statusLine = 4, 7
	lines := append(strings.Split(text, "\n"), make([]string, statusLine)...)
	pid, err = strconv.Atoi(strings.TrimSpace(lines[0]))
	if err != nil || pid <= 0 {
		return 0, "", "", errors.New(postmasterFile + " has no process in it")
	}
	return pid, strings.TrimSpace(lines[socketLine]), strings.TrimSpace(lines[statusLine]), nil
}
