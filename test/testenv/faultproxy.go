package testenv

import (
	"errors"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// FaultProxy stands in front of a service and can refuse connections, as if the
// service had stopped, or stall, as if it hung. It is safe for concurrent use.
// Toxiproxy does the same, but dials services over TCP only (toxiproxy v2, proxy.go),
// and the PostgreSQL of the tests listens on a Unix socket.
type FaultProxy struct {
	network, target string // of the service
	address         string // of the proxy
	tap             func() io.WriteCloser

	mu       sync.Mutex
	stalled  chan struct{} // closed when the stall ends; nil while there is none
	listener net.Listener  // nil while connections are refused
	conns    map[net.Conn]bool
	running  sync.WaitGroup
}

// NewFaultProxy starts a proxy in front of a TCP address, until the test ends.
func NewFaultProxy(t testing.TB, target string) *FaultProxy {
	t.Helper()
	p := &FaultProxy{network: "tcp", target: target}
	if err := p.start(); err != nil {
		t.Fatal("testenv:", err)
	}
	t.Cleanup(p.Close)
	return p
}

// NewDatabaseProxy starts a proxy in front of a PostgreSQL server, until the test
// ends, and returns the URL that leads through it.
func NewDatabaseProxy(t testing.TB, databaseURL string) (proxy *FaultProxy, throughProxy string) {
	t.Helper()
	proxy, throughProxy, err := StartDatabaseProxy(databaseURL, nil)
	if err != nil {
		t.Fatal("testenv:", err)
	}
	t.Cleanup(proxy.Close)
	return proxy, throughProxy
}

// StartDatabaseProxy is NewDatabaseProxy outside of tests. The caller closes the
// proxy. Unless it is nil, tap is called for each connection and gives what all that
// the client sends is copied to.
func StartDatabaseProxy(databaseURL string, tap func() io.WriteCloser) (proxy *FaultProxy, throughProxy string, err error) {
	config, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return nil, "", errors.New("the database URL is not a URL") // err would quote its password
	}
	proxy = &FaultProxy{tap: tap}
	proxy.network, proxy.target = pgconn.NetworkAddress(config.Host, config.Port)
	if err := proxy.start(); err != nil {
		return nil, "", err
	}
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(config.User, config.Password),
		Host: proxy.address, Path: "/" + config.Database, RawQuery: "sslmode=disable",
	}
	return proxy, u.String(), nil
}

func (p *FaultProxy) start() error {
	p.address, p.conns = "127.0.0.1:0", map[net.Conn]bool{}
	return p.Open()
}

// Close breaks all connections and ends the proxy.
func (p *FaultProxy) Close() {
	p.Shut()
	p.running.Wait()
}

// Address is where the proxy listens, as host:port.
func (p *FaultProxy) Address() string { return p.address }

// Open lets everything through again.
func (p *FaultProxy) Open() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endStall()
	if p.listener != nil {
		return nil
	}
	listener, err := net.Listen("tcp", p.address) //nolint:noctx // returns at once
	if err != nil {
		return err //nolint:wrapcheck // says all there is
	}
	p.listener, p.address = listener, listener.Addr().String()
	p.running.Go(func() { p.accept(listener) })
	return nil
}

// Stall keeps all connections, takes new ones, and passes nothing on.
func (p *FaultProxy) Stall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stalled == nil {
		p.stalled = make(chan struct{})
	}
}

// endStall is called with mu held.
func (p *FaultProxy) endStall() {
	if p.stalled != nil {
		close(p.stalled)
		p.stalled = nil
	}
}

// Shut breaks all connections and refuses new ones.
func (p *FaultProxy) Shut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != nil {
		_ = p.listener.Close()
		p.listener = nil
	}
	for conn := range p.conns {
		_ = conn.Close()
	}
	clear(p.conns)
	p.endStall()
}

func (p *FaultProxy) accept(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial(p.network, p.target) //nolint:noctx // ends with the test
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		if p.listener != listener {
			_ = client.Close()
			_ = server.Close()
		} else {
			p.conns[client], p.conns[server] = true, true
			p.running.Go(func() { p.forward(client, server, p.tap) })
			p.running.Go(func() { p.forward(server, client, nil) })
		}
		p.mu.Unlock()
	}
}

// forward copies what comes from one side to the other, until either ends.
func (p *FaultProxy) forward(from, to net.Conn, tap func() io.WriteCloser) {
	sent := io.Reader(stallingReader{p, from})
	if tap != nil {
		tapped := tap()
		defer tapped.Close() //nolint:errcheck // of a copy
		sent = io.TeeReader(sent, tapped)
	}
	_, _ = io.Copy(to, sent)
	p.mu.Lock()
	delete(p.conns, from)
	delete(p.conns, to)
	p.mu.Unlock()
	_ = from.Close()
	_ = to.Close()
}

// stallingReader holds back what it has read while the proxy is stalled.
type stallingReader struct {
	proxy *FaultProxy
	net.Conn
}

func (r stallingReader) Read(buffer []byte) (int, error) {
	n, err := r.Conn.Read(buffer)
	r.proxy.mu.Lock()
	stalled := r.proxy.stalled
	r.proxy.mu.Unlock()
	if stalled != nil {
		<-stalled
	}
	return n, err //nolint:wrapcheck // a reader
}
