package testenv

import (
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

	mu       sync.Mutex
	stalled  chan struct{} // closed when the stall ends; nil while there is none
	listener net.Listener  // nil while connections are refused
	conns    map[net.Conn]bool
	running  sync.WaitGroup
}

// NewFaultProxy starts a proxy in front of a TCP address, until the test ends.
func NewFaultProxy(t testing.TB, target string) *FaultProxy {
	t.Helper()
	return newFaultProxy(t, "tcp", target)
}

// NewDatabaseProxy starts a proxy in front of a PostgreSQL server, and returns the
// URL that leads through it.
func NewDatabaseProxy(t testing.TB, databaseURL string) (proxy *FaultProxy, throughProxy string) {
	t.Helper()
	config, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		t.Fatal("testenv: the database URL is not a URL") // err would quote its password
	}
	network, address := pgconn.NetworkAddress(config.Host, config.Port)
	proxy = newFaultProxy(t, network, address)
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(config.User, config.Password),
		Host: proxy.address, Path: "/" + config.Database, RawQuery: "sslmode=disable",
	}
	return proxy, u.String()
}

func newFaultProxy(t testing.TB, network, target string) *FaultProxy {
	t.Helper()
	p := &FaultProxy{network: network, target: target, address: "127.0.0.1:0", conns: map[net.Conn]bool{}}
	if err := p.Open(); err != nil {
		t.Fatal("testenv:", err)
	}
	t.Cleanup(func() {
		p.Shut()
		p.running.Wait()
	})
	return p
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
			p.running.Go(func() { p.forward(client, server) })
			p.running.Go(func() { p.forward(server, client) })
		}
		p.mu.Unlock()
	}
}

// forward copies what comes from one side to the other, until either ends.
func (p *FaultProxy) forward(from, to net.Conn) {
	_, _ = io.Copy(to, stallingReader{p, from})
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
