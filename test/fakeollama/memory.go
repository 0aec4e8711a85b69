package fakeollama

import (
	"context"
	"errors"
	"net"
	"testing"
)

// StartInMemory is [Start] for a test in a bubble of fake time: its clock would stand
// still while a connection of the network waits, so connections are pipes that
// [Server.Dial] makes.
func StartInMemory(tb testing.TB) *Server {
	tb.Helper()
	s := newServer()
	if err := s.http.Listener.Close(); err != nil {
		tb.Fatal(err)
	}
	s.http.Listener = &pipes{accepts: make(chan net.Conn), closed: s.closed}
	s.http.Start()
	tb.Cleanup(s.Close)
	return s
}

// Dial connects to a server of [StartInMemory], whatever the address: it is the
// DialContext of an http.Transport.
func (s *Server) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	listener, ok := s.http.Listener.(*pipes)
	if !ok {
		return nil, errors.New("the server is not in memory")
	}
	client, server := net.Pipe()
	select {
	case listener.accepts <- server:
		return client, nil
	case <-ctx.Done():
		return nil, ctx.Err() //nolint:wrapcheck // DialContext passes it on
	case <-listener.closed:
		return nil, net.ErrClosed
	}
}

// pipes is a listener for connections in memory.
type pipes struct {
	accepts chan net.Conn
	closed  <-chan struct{} // by the server's Close
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.accepts:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error { return nil }

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }
