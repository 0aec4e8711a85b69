package db_test

import (
	"net"
	"testing"
)

// silentListener takes connections and never says a word, as a server that hangs.
type silentListener struct {
	net.Listener
	clients chan net.Conn
}

func newSilentListener(t *testing.T) *silentListener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	l := &silentListener{Listener: listener, clients: make(chan net.Conn, 16)}
	t.Cleanup(func() {
		if err := listener.Close(); err != nil {
			t.Error(err)
		}
	})
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			l.clients <- conn
		}
	}()
	return l
}

func (l *silentListener) url() string {
	return "postgres://nobody@" + l.Addr().String() + "/none?sslmode=disable"
}

func (l *silentListener) waitForClient(t *testing.T) {
	t.Helper()
	select {
	case <-l.clients:
	case <-t.Context().Done():
		t.Fatal("no client has come")
	}
}
