package db

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// CreateMissing creates the database that an address names, if it is missing. created reports whether it was missing.
func CreateMissing(ctx context.Context, address string) (created bool, err error) {
	err = visit(ctx, "look at database", address, func(context.Context, *pgx.Conn) error { return nil })
	if missing, ok := errors.AsType[*Error](err); !ok || missing.SQLState != databaseMissing {
		return false, err
	}
	config, err := poolConfig(address)
	if err != nil {
		return false, err
	}
	name := pgx.Identifier{config.ConnConfig.Database}.Sanitize()
	op := "make the database " + name
	config.ConnConfig.Database = "postgres" // every server has it
	conn, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return true, Wrap(op, err)
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+name+" ENCODING 'UTF8'")
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == invalidParameter { // template1 has another encoding
		_, err = conn.Exec(ctx, "CREATE DATABASE "+name+withUTF8)
	}
	if taken, ok := errors.AsType[*pgconn.PgError](err); ok && taken.Code == duplicateDatabase {
		err = nil
	}
	return true, Wrap(op, errors.Join(err, conn.Close(ctx)))
}

// withUTF8 has options for CREATE DATABASE that work on every server, because template0 allows any encoding.
const withUTF8 = " ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0"

// The SQLSTATEs of a database that already exists, and of a template with another encoding.
const (
	duplicateDatabase = "42P04"
	invalidParameter  = "22023"
)
