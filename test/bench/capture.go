package main

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// statement is one that was sent, with its parameters as they were on the wire.
type statement struct {
	sql string
	// extended is unset for a statement that was sent without parameters, by the simple
	// protocol.
	extended       bool
	values         [][]byte
	formats        []int16
	resultFormats  []int16
	parameterTypes []uint32
	// ends is set if the client waits for the answer before it sends more.
	ends bool
}

// capture stands between a client and PostgreSQL and notes the statements that are
// run, so that the same can be sent again without the code that sent them.
type capture struct {
	mu         sync.Mutex
	statements []statement
}

// newCapture returns the URL that leads through the capture to a database.
func (b *bench) newCapture(databaseURL string) (c *capture, through string) {
	c = &capture{}
	return c, b.tapped(databaseURL, c.watch, func(tap io.WriteCloser) io.WriteCloser { return tap })
}

// tapped returns a URL that leads to a database. watch reads what a client sends on one
// connection, from the writer that wrap returns, before it is sent on.
func (b *bench) tapped(
	databaseURL string, watch func(client io.Reader) error, wrap func(tap io.WriteCloser) io.WriteCloser,
) (through string) {
	relay, through, err := testenv.StartDatabaseRelay(databaseURL, func() io.WriteCloser {
		reader, writer := io.Pipe()
		go func() { _ = reader.CloseWithError(watch(reader)) }() // ends with the connection
		return wrap(writer)
	})
	check(err)
	b.atEnd(func() error {
		relay.Close()
		return nil
	})
	return through
}

// taken returns what was run since it was last called.
func (c *capture) taken() []statement {
	c.mu.Lock()
	defer c.mu.Unlock()
	statements := c.statements
	c.statements = nil
	return statements
}

// watch reads what a client sends.
func (c *capture) watch(client io.Reader) error {
	backend := pgproto3.NewBackend(client, nil)
	if _, err := backend.ReceiveStartupMessage(); err != nil {
		return err
	}
	var parsed statement
	for {
		message, err := backend.Receive()
		if err != nil {
			return err
		}
		switch m := message.(type) {
		case *pgproto3.Parse:
			parsed = statement{sql: m.Query, extended: true, parameterTypes: append([]uint32(nil), m.ParameterOIDs...)}
		case *pgproto3.Bind:
			s := parsed
			s.formats = append([]int16(nil), m.ParameterFormatCodes...)
			s.resultFormats = append([]int16(nil), m.ResultFormatCodes...)
			for _, value := range m.Parameters {
				if value != nil {
					value = append([]byte{}, value...)
				}
				s.values = append(s.values, value)
			}
			c.note(s)
		case *pgproto3.Sync:
			c.end()
		case *pgproto3.Query:
			c.note(statement{sql: m.String, ends: true})
		}
	}
}

func (c *capture) note(s statement) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.statements = append(c.statements, s)
}

// end notes that a pipeline ends.
func (c *capture) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.statements) > 0 {
		c.statements[len(c.statements)-1].ends = true
	}
}

// replay sends statements over one connection, those of a pipeline together, each
// pipeline when the one before it is answered, and reads the answers without decoding
// them.
type replay struct {
	conn       *pgconn.PgConn
	statements []statement
}

// newReplay takes its connection from a pool of the server's, with the settings by which
// the server has its statements planned.
func (b *bench) newReplay(ctx context.Context, pool *pgxpool.Pool, statements []statement) *replay {
	if len(statements) == 0 {
		check(errors.New("no statement was captured"))
	}
	conn := get(pool.Acquire(ctx)).Hijack()
	b.atEnd(func() error { return conn.Close(context.WithoutCancel(ctx)) })
	return &replay{conn: conn.PgConn(), statements: statements}
}

func (r *replay) run(ctx context.Context) {
	pipeline := &pgconn.Batch{}
	for _, s := range r.statements {
		if !s.extended {
			check(r.conn.Exec(ctx, s.sql).Close())
			continue
		}
		pipeline.ExecParams(s.sql, s.values, s.parameterTypes, s.formats, s.resultFormats)
		if s.ends {
			check(r.conn.ExecBatch(ctx, pipeline).Close())
			pipeline = &pgconn.Batch{}
		}
	}
}
