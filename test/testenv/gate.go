package testenv

import (
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Gate stands in front of a service and can be shut, as if the service had
// stopped, or jammed, as if it hung. It is safe for concurrent use.
type Gate struct {
	network, target string // of the service
	address         string // of the gate

	mu       sync.Mutex
	moving   *sync.Cond // on changes of jammed and closed connections
	jammed   bool
	listener net.Listener // nil while it is shut
	conns    map[net.Conn]bool
	running  sync.WaitGroup
}

// NewGate opens a gate in front of a TCP address, until the test ends.
func NewGate(t testing.TB, target string) *Gate {
	t.Helper()
	return newGate(t, "tcp", target)
}

// NewDatabaseGate opens a gate in front of a PostgreSQL server, and returns the
// URL that leads through it.
func NewDatabaseGate(t testing.TB, databaseURL string) (gate *Gate, throughGate string) {
	t.Helper()
	config, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		t.Fatal("testenv: the database URL is not a URL") // err would quote its password
	}
	network, address := pgconn.NetworkAddress(config.Host, config.Port)
	gate = newGate(t, network, address)
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(config.User, config.Password),
		Host: gate.address, Path: "/" + config.Database, RawQuery: "sslmode=disable",
	}
	return gate, u.String()
}

func newGate(t testing.TB, network, target string) *Gate {
	t.Helper()
	g := &Gate{network: network, target: target, address: "127.0.0.1:0", conns: map[net.Conn]bool{}}
	g.moving = sync.NewCond(&g.mu)
	if err := g.Open(); err != nil {
		t.Fatal("testenv:", err)
	}
	t.Cleanup(func() {
		g.Shut()
		g.running.Wait()
	})
	return g
}

// Address is where the gate listens, as host:port.
func (g *Gate) Address() string { return g.address }

// Open lets everything through again.
func (g *Gate) Open() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.jammed = false
	g.moving.Broadcast()
	if g.listener != nil {
		return nil
	}
	listener, err := net.Listen("tcp", g.address) //nolint:noctx // returns at once
	if err != nil {
		return err //nolint:wrapcheck // says all there is
	}
	g.listener, g.address = listener, listener.Addr().String()
	g.running.Go(func() { g.accept(listener) })
	return nil
}

// Jam keeps all connections, takes new ones, and passes nothing on.
func (g *Gate) Jam() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.jammed = true
}

// Shut breaks all connections and refuses new ones.
func (g *Gate) Shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.listener != nil {
		_ = g.listener.Close()
		g.listener = nil
	}
	for conn := range g.conns {
		_ = conn.Close()
	}
	clear(g.conns)
	g.moving.Broadcast()
}

func (g *Gate) accept(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial(g.network, g.target) //nolint:noctx // ends with the test
		if err != nil {
			_ = client.Close()
			continue
		}
		g.mu.Lock()
		if g.listener != listener {
			_ = client.Close()
			_ = server.Close()
		} else {
			g.conns[client], g.conns[server] = true, true
			g.running.Go(func() { g.pass(client, server) })
			g.running.Go(func() { g.pass(server, client) })
		}
		g.mu.Unlock()
	}
}

// pass copies what comes from one side to the other, until either ends.
func (g *Gate) pass(from, to net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if !g.wait(from) {
			return
		}
		if _, writeErr := to.Write(buffer[:n]); err != nil || writeErr != nil {
			g.mu.Lock()
			delete(g.conns, from)
			delete(g.conns, to)
			g.mu.Unlock()
			_ = from.Close()
			_ = to.Close()
			return
		}
	}
}

// wait waits while the gate is jammed, and reports whether the connection still
// belongs to it.
func (g *Gate) wait(conn net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.jammed && g.conns[conn] {
		g.moving.Wait()
	}
	return g.conns[conn]
}
