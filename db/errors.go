package db

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// maxMessage limits a message, in bytes: pgvector's encode error, for example, prints the whole vector.
const maxMessage = 300

// Error is a failed database operation. Its message does not contain the connection string.
type Error struct {
	Op       string
	Kind     ErrorKind
	Hint     string // a remedy in a sentence, or ""
	SQLState string // PostgreSQL's five-character code, or ""
	Err      error
}

// ErrorKind says what a caller can do about an error.
type ErrorKind int

const (
	// KindInternal is a bug or an unforeseen refusal: report it.
	KindInternal ErrorKind = iota
	// KindTransient is a lost connection, a deadlock or a serialisation failure: try again.
	KindTransient
	// KindSetup is a server, a database or an account that a person must change.
	KindSetup
	// KindData is a row that PostgreSQL refuses. Other rows can be written without it.
	KindData
)

func (e *Error) Error() string {
	message := e.Err.Error()
	if pgErr, ok := errors.AsType[*pgconn.PgError](e.Err); ok {
		message = pgErr.Message
	}
	if connectErr, ok := errors.AsType[*pgconn.ConnectError](e.Err); ok {
		_, message, _ = unreachable(connectErr)
	}
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "") + "…"
	}
	if e.Hint != "" {
		message += "; " + e.Hint
	}
	return fmt.Sprintf("%s: %s", e.Op, message)
}

func (e *Error) Unwrap() error { return e.Err }

// Wrap turns an error of pgx into an [*Error]. Errors that wrap an [*Error], cancellations and nil stay unchanged.
func Wrap(op string, err error) error {
	if err == nil || errors.As(err, new(*Error)) || errors.Is(err, context.Canceled) {
		return err
	}
	kind, hint := classify(err)
	var state string
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok {
		state = pgErr.Code
	}
	return &Error{Op: op, Kind: kind, Hint: hint, SQLState: state, Err: err}
}

// IsNoRows reports whether err means that a query for one row found no row.
func IsNoRows(err error) bool { return errors.Is(err, pgx.ErrNoRows) }

// IsKind reports whether err is an [*Error] of a kind.
func IsKind(err error, kind ErrorKind) bool {
	var dbErr *Error
	return errors.As(err, &dbErr) && dbErr.Kind == kind
}

// denied is the SQLSTATE of an operation that the role has no right to do.
const (
	denied     = "42501"
	deniedHint = "the role in CDOCS_DATABASE_URL has no right to do this: use the database's owner to create and migrate " +
		"the index, and a role that may insert, update and delete to fill it; if the URL names a standby, name its primary"
)

// onlyRead is the SQLSTATE of a write in a read-only transaction, for example on a standby.
const onlyRead = "25006"

// IsDenied reports whether the role has no right to the operation, or the database is read-only.
func IsDenied(err error) bool {
	var dbErr *Error
	return errors.As(err, &dbErr) && (dbErr.SQLState == denied || dbErr.SQLState == onlyRead)
}

// databaseMissing is the SQLSTATE of a connection to a database that the server does not have.
const databaseMissing = "3D000"

func setupError(op, hint string, err error) *Error {
	return &Error{Op: op, Kind: KindSetup, Hint: hint, Err: err}
}

// errReadOnly returns the error of an operation that a role without the right to write cannot do.
func errReadOnly(op, reason string) *Error {
	return &Error{Op: op, Kind: KindSetup, Hint: deniedHint, SQLState: denied, Err: errors.New(reason)}
}

// connectionLost reports whether err means that PostgreSQL has gone away, so that all connections are broken.
func connectionLost(err error) bool {
	var dbErr *Error
	if !errors.As(err, &dbErr) || dbErr.Kind != KindTransient {
		return false
	}
	return dbErr.SQLState == "" || strings.HasPrefix(dbErr.SQLState, "08") || strings.HasPrefix(dbErr.SQLState, "57P")
}

// schemaMissing reports whether err means that a table or a type is missing, as after the database was made again.
func schemaMissing(err error) bool {
	var dbErr *Error
	return errors.As(err, &dbErr) && (dbErr.SQLState == undefinedTable || dbErr.SQLState == undefinedObject)
}

// refused reports whether PostgreSQL has refused a statement for a reason that this package does not know.
func refused(err error) bool {
	var dbErr *Error
	return errors.As(err, &dbErr) && dbErr.Kind == KindInternal && dbErr.SQLState != ""
}

func classify(err error) (ErrorKind, string) {
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok {
		return classifyState(pgErr)
	}
	var connectErr *pgconn.ConnectError
	var netErr net.Error
	switch {
	case errors.As(err, &connectErr):
		kind, _, hint := unreachable(connectErr)
		return kind, hint
	case errors.As(err, &netErr), errors.Is(err, net.ErrClosed), pgconn.SafeToRetry(err),
		errors.Is(err, context.DeadlineExceeded), isBrokenConn(err):
		return KindTransient, ""
	default:
		return KindInternal, ""
	}
}

// isBrokenConn recognises pgconn's errors for a connection that broke during a query, by their text: they have no type.
func isBrokenConn(err error) bool {
	message := err.Error()
	return strings.Contains(message, "unexpected EOF") || strings.Contains(message, "conn closed")
}

// classifyState returns the kind of an SQLSTATE, and a remedy or "". PostgreSQL's appendix A lists the codes.
func classifyState(err *pgconn.PgError) (ErrorKind, string) {
	switch err.Code {
	case "25P03", "40001", "40P01", "55P03", "57P01", "57P02", "57P03", "57P05":
		return KindTransient, ""
	case "53300":
		return KindTransient, "the database has no connection left: raise its max_connections, or put pool_max_conns=2 into " +
			"the CDOCS_DATABASE_URL of every server"
	case "57014":
		return KindInternal, "if the statement_timeout of the role or the database is short, raise it: " +
			"ALTER ROLE name SET statement_timeout = '1min'"
	case "28P01", "28000":
		return KindSetup, "correct the user and password in CDOCS_DATABASE_URL"
	case "3F000":
		return KindSetup, "correct the search_path of the database or the role, so that it names a schema that exists"
	case "53100":
		return KindSetup, "make room on the disk of the database server"
	case databaseMissing:
		return KindSetup, "create the database, as compound-docs up does, or correct its name in CDOCS_DATABASE_URL"
	case denied:
		return KindSetup, deniedHint
	case undefinedTable, undefinedObject, "42703", "42883": // a missing table, type, column or function
		return KindSetup, "the database's schema is not this version's: restart the server, which migrates it; " +
			"if that does not help, compound-docs doctor says why"
	}
	switch err.Code[:2] {
	case "08":
		return KindTransient, ""
	case "22", "23", "54":
		return KindData, ""
	default:
		return KindInternal, ""
	}
}

// unreachable says why a connection failed, and what to do. Unlike the message of pgconn, the reason does not contain
// the user, the database and the parameters.
func unreachable(err *pgconn.ConnectError) (kind ErrorKind, reason, hint string) {
	text := err.Error()
	_, certificate, _ := strings.Cut(text, "x509: ")
	certificate, _, _ = strings.Cut(certificate, "\n")
	switch {
	case strings.Contains(text, "server refused TLS connection"):
		return KindSetup, "the server speaks no TLS, and the URL demands it",
			"set ssl = on for the server, or, in a network that you trust, sslmode=disable in CDOCS_DATABASE_URL"
	case certificate != "":
		return KindSetup, "the server's certificate is not accepted: x509: " + certificate,
			"name the file of its authority with sslrootcert, and the host as in the certificate, in CDOCS_DATABASE_URL"
	case strings.Contains(text, "tls error"):
		return KindSetup, "TLS with the server fails, or it is no PostgreSQL",
			"correct host, port, sslmode, sslcert and sslkey in CDOCS_DATABASE_URL; the log of the server says more"
	}
	reason, hint = "no connection to the PostgreSQL server", "start PostgreSQL or correct CDOCS_DATABASE_URL"
	var pgErr *pgconn.PgError
	var dnsErr *net.DNSError
	var opErr *net.OpError
	switch {
	case errors.As(err, &pgErr):
		reason = "the server refused the connection: " + pgErr.Message
	case errors.As(err, &dnsErr):
		reason = "the host " + dnsErr.Name + " of the database is not found: " + dnsErr.Err
		hint = "correct the host in CDOCS_DATABASE_URL, or connect this machine to its network"
	case errors.As(err, &opErr):
		reason = fmt.Sprintf("no PostgreSQL server answers at %v: %v", opErr.Addr, opErr.Err)
	case errors.Is(err, context.DeadlineExceeded):
		reason = "no PostgreSQL server answered in time"
	}
	if strings.Contains(text, "read only connection") { // target_session_attrs asks for a writable host
		reason += "; a host of the URL answers, and only reads"
	}
	return KindTransient, reason, hint
}
