package testenv

import (
	"errors"
	"io"
	"net"
	"net/url"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Relay passes TCP connections on to a service, which may listen on a Unix socket: the
// PostgreSQL of the tests does, and Toxiproxy dials over TCP only.
type Relay struct {
	network, target string // of the service
	listener        net.Listener
	tap             func() io.WriteCloser

	mu      sync.Mutex
	conns   map[net.Conn]bool // nil once the relay is closed
	running sync.WaitGroup
}

// StartDatabaseRelay starts a relay in front of a PostgreSQL server, and returns the URL
// that leads through it. The caller closes the relay. Unless it is nil, tap is called for
// each connection and gives what all that the client sends is copied to.
func StartDatabaseRelay(databaseURL string, tap func() io.WriteCloser) (relay *Relay, throughRelay string, err error) {
	config, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return nil, "", errors.New("the database URL is not a URL") // err would quote its password
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // returns at once
	if err != nil {
		return nil, "", err //nolint:wrapcheck // says all there is
	}
	relay = &Relay{listener: listener, tap: tap, conns: map[net.Conn]bool{}}
	relay.network, relay.target = pgconn.NetworkAddress(config.Host, config.Port)
	relay.running.Go(relay.accept)
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(config.User, config.Password),
		Host: listener.Addr().String(), Path: "/" + config.Database, RawQuery: "sslmode=disable",
	}
	return relay, u.String(), nil
}

// Close breaks all connections and ends the relay.
func (r *Relay) Close() {
	_ = r.listener.Close()
	r.mu.Lock()
	for conn := range r.conns {
		_ = conn.Close()
	}
	r.conns = nil
	r.mu.Unlock()
	r.running.Wait()
}

func (r *Relay) accept() {
	for {
		client, err := r.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial(r.network, r.target) //nolint:noctx // ends with the test
		if err != nil {
			_ = client.Close()
			continue
		}
		r.mu.Lock()
		if r.conns == nil {
			_ = client.Close()
			_ = server.Close()
		} else {
			r.conns[client], r.conns[server] = true, true
			r.running.Go(func() { r.forward(client, server, r.tap) })
			r.running.Go(func() { r.forward(server, client, nil) })
		}
		r.mu.Unlock()
	}
}

// forward copies what comes from one side to the other, until either ends.
func (r *Relay) forward(from, to net.Conn, tap func() io.WriteCloser) {
	sent := io.Reader(from)
	if tap != nil {
		tapped := tap()
		defer tapped.Close() //nolint:errcheck // of a copy
		sent = io.TeeReader(sent, tapped)
	}
	_, _ = io.Copy(to, sent)
	r.mu.Lock()
	delete(r.conns, from)
	delete(r.conns, to)
	r.mu.Unlock()
	_ = from.Close()
	_ = to.Close()
}
