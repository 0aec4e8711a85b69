package db_test

import (
	"crypto/tls"
	"io"
	"net"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// A TLS failure names its cause, and the setting that mends it.
func TestServerVersion_NamesWhatTLSFailsFor(t *testing.T) {
	t.Parallel()
	certified := httptest.NewTLSServer(nil)
	t.Cleanup(certified.Close)
	for _, test := range []struct {
		name, mode, message, hint string
		answer                    byte
	}{
		{"no TLS", "require", "the server speaks no TLS", "sslmode=disable", 'N'},
		{"unknown authority", "verify-full", "the server's certificate is not accepted: x509: ", "sslrootcert", 'S'},
	} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		t.Cleanup(func() { _ = listener.Close() })
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return // closed
				}
				_, _ = io.ReadFull(conn, make([]byte, 8)) // the request for TLS
				_, _ = conn.Write([]byte{test.answer})
				if test.answer == 'S' {
					_ = tls.Server(conn, certified.TLS).Handshake()
				}
				_ = conn.Close()
			}
		}()
		_, err = db.ServerVersion(t.Context(), "postgres://u:s3cret@"+listener.Addr().String()+"/d?sslmode="+test.mode)
		if err == nil || !db.IsKind(err, db.KindSetup) || !strings.Contains(err.Error(), test.message) ||
			!strings.Contains(err.Error(), test.hint) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// Of several hosts, the one that answers and cannot be used is named too.
func TestServerVersion_NamesAHostThatOnlyReads(t *testing.T) {
	t.Parallel()
	databaseURL := testenv.DatabaseURL(t)
	alter(t, databaseURL, "SET default_transaction_read_only = on")
	_, databaseURL = testenv.NewDatabaseProxy(t, databaseURL)
	u, err := url.Parse(withParameter(t, databaseURL, "target_session_attrs", "read-write"))
	must(t, err)
	u.Host = "127.0.0.1:1," + u.Host
	_, err = db.ServerVersion(t.Context(), u.String())
	if err == nil || !strings.Contains(err.Error(), "answers at 127.0.0.1:1: ") || !strings.Contains(err.Error(), "a host of the URL answers, and only reads") {
		t.Errorf("one host is away, and one only reads: %v", err)
	}
}

// A table, a column or a function of another version of the schema is missing.
func TestWrap_AnotherSchema(t *testing.T) {
	t.Parallel()
	for _, state := range []string{"42P01", "42703", "42704", "42883"} {
		err := db.Wrap("search", &pgconn.PgError{Code: state})
		if !db.IsKind(err, db.KindSetup) || !strings.Contains(err.Error(), "the database's schema is not this version's") {
			t.Errorf("%s: %v, want what to do with a schema of another version", state, err)
		}
	}
}
