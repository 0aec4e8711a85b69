package main

import (
	"context"
	"io"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// wire stands between clients and PostgreSQL. It notes each round trip, so that it can be
// sent again without the code that sent it.
type wire struct {
	mu   sync.Mutex
	sent []trip
}

// trip is what a client sends before it waits: one statement, or a pipeline of statements.
// The start of a connection has no statements.
type trip []statement

// statement has its parameters as they were on the wire.
type statement struct {
	sql string
	// simple is set for a statement without parameters, sent by the simple protocol.
	simple         bool
	values         [][]byte
	formats        []int16
	resultFormats  []int16
	parameterTypes []uint32
}

// newWire returns the URL that leads through the wire to a database.
func (b *bench) newWire(databaseURL string) (w *wire, through string) {
	w = &wire{}
	relay, through, err := testenv.StartDatabaseRelay(databaseURL, func() io.WriteCloser {
		reader, writer := io.Pipe()
		go func() { _ = reader.CloseWithError(w.watch(reader)) }() // ends with the connection
		return writer
	})
	check(err)
	b.atEnd(func() error {
		relay.Close()
		return nil
	})
	return w, through
}

// watch reads what a client sends on one connection.
func (w *wire) watch(client io.Reader) error {
	backend := pgproto3.NewBackend(client, nil)
	if _, err := backend.ReceiveStartupMessage(); err != nil {
		return err
	}
	w.note(nil)
	var pipeline trip
	var parsed statement
	for {
		message, err := backend.Receive()
		if err != nil {
			return err
		}
		switch m := message.(type) {
		case *pgproto3.Parse:
			parsed = statement{sql: m.Query, parameterTypes: slices.Clone(m.ParameterOIDs)}
		case *pgproto3.Bind:
			s := parsed
			s.formats, s.resultFormats = slices.Clone(m.ParameterFormatCodes), slices.Clone(m.ResultFormatCodes)
			for _, value := range m.Parameters {
				if value != nil { // which is NULL
					value = append([]byte{}, value...)
				}
				s.values = append(s.values, value)
			}
			pipeline = append(pipeline, s)
		case *pgproto3.Sync:
			if len(pipeline) > 0 {
				w.note(pipeline)
				pipeline = nil
			}
		case *pgproto3.Query:
			w.note(trip{{sql: m.String, simple: true}})
		}
	}
}

func (w *wire) note(t trip) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent = append(w.sent, t)
}

// taken returns the round trips since it was last called.
func (w *wire) taken() []trip {
	w.mu.Lock()
	defer w.mu.Unlock()
	sent := w.sent
	w.sent = nil
	return sent
}

// replay sends round trips over one connection, each after the answer to the last, and reads the
// answers without decoding them.
type replay struct {
	*pgconn.PgConn
}

// newReplay takes its connection from a pool of the server's, with the server's planner settings.
func (b *bench) newReplay(ctx context.Context, pool *pgxpool.Pool) replay {
	conn := get(pool.Acquire(ctx)).Hijack()
	b.atEnd(func() error { return conn.Close(context.WithoutCancel(ctx)) })
	return replay{conn.PgConn()}
}

func (r replay) send(ctx context.Context, trips []trip) {
	for _, t := range trips {
		if len(t) == 1 && t[0].simple {
			check(r.Exec(ctx, t[0].sql).Close())
			continue
		}
		pipeline := &pgconn.Batch{}
		for _, s := range t {
			pipeline.ExecParams(s.sql, s.values, s.parameterTypes, s.formats, s.resultFormats)
		}
		check(r.ExecBatch(ctx, pipeline).Close())
	}
}
