package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// wire stands between clients and PostgreSQL. It notes each round trip, so that it can be
// counted, and sent again without the code that sent it.
type wire struct {
	// delay is added to every round trip.
	delay time.Duration

	mu   sync.Mutex
	sent []trip
	// turns is how many trips followed one another, without the polled ones, and began is when the last
	// of them began. A trip that begins while another is under way takes no time of its own.
	turns int
	began time.Time
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
func (b *bench) newWire(databaseURL string, delay time.Duration) (w *wire, through string) {
	w = &wire{delay: delay}
	relay, through, err := testenv.StartDatabaseRelay(databaseURL, func() io.WriteCloser {
		reader, writer := io.Pipe()
		go func() { _ = reader.CloseWithError(w.watch(reader)) }() // ends with the connection
		return slowly{writer, delay}
	})
	check(err)
	b.atEnd(func() error {
		relay.Close()
		return nil
	})
	return w, through
}

// slowly delays bytes: the relay sends on what its tap has taken.
type slowly struct {
	io.WriteCloser

	delay time.Duration
}

func (s slowly) Write(p []byte) (int, error) {
	time.Sleep(s.delay)
	return s.WriteCloser.Write(p)
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
	if time.Since(w.began) >= w.delay && !polled.MatchString(t.name()) {
		w.turns++
		w.began = time.Now()
	}
}

// taken returns the round trips since it was last called.
func (w *wire) taken() []trip {
	w.mu.Lock()
	defer w.mu.Unlock()
	sent := w.sent
	w.sent, w.turns = nil, 0
	return sent
}

// inTurn returns how many of the trips since taken followed one another.
func (w *wire) inTurn() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.turns
}

// polled are asked every second, whatever else goes on.
var polled = regexp.MustCompile(`TenantState$|^-- ping$`) //nolint:gochecknoglobals // a constant

// name names the statements of a trip.
func (t trip) name() string {
	if len(t) == 0 {
		return "connect"
	}
	var names []string
	for _, s := range t {
		names = append(names, s.name())
	}
	return strings.Join(slices.Compact(names), " + ")
}

// count returns how many round trips there are except the polled ones, and what for.
func count(trips []trip) (sum float64, what string) {
	by := map[string]int{}
	for _, t := range trips {
		if name := t.name(); !polled.MatchString(name) {
			by[name]++
			sum++
		}
	}
	return sum, listed(by)
}

// listed names what was counted.
func listed(by map[string]int) string {
	var each []string
	for _, name := range slices.Sorted(maps.Keys(by)) {
		each = append(each, fmt.Sprintf("%d %s", by[name], name))
	}
	return strings.Join(each, ", ")
}

// name is the name of a query, or its first words.
func (s statement) name() string {
	if name, found := strings.CutPrefix(s.sql, "-- name: "); found {
		name, _, _ = strings.Cut(name, " ")
		return name
	}
	if strings.HasPrefix(s.sql, "-- settings") {
		return "settings"
	}
	words := strings.Fields(s.sql)
	return strings.Join(words[:min(len(words), 4)], " ")
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
