package said_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/said"
)

// Each line names places of the repository, or what only looks like one.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ line, want string }{
		{"The pool is in `db/pool.go`.", "db/pool.go"},
		{"See `db/pool.go:12-30` and db/lease.go:7.", "db/pool.go:12-30 db/lease.go:7-7"},
		{"A trace says db/pool.go:12:5, twice.", "db/pool.go:12-12"},
		{"At `db/pool.go#L12-L30` and (db/pool.go#L4)", "db/pool.go:12-30 db/pool.go:4-4"},
		{"[the code](../../db/pool.go#L3) and [a page](../tools/x.md#limits)", "link ../../db/pool.go:3-3"},
		{"`NewPool` in `db/pool.go` opens it", "db/pool.go#NewPool"},
		{"`db/pool.go` (`Pool.Close()`) ends it", "db/pool.go#Pool.Close"},
		{"`pgx.ErrNoRows` in `db/errors.go`", "db/errors.go#pgx.ErrNoRows"},
		{"`db/pool.go` is a long file, and far away stands `NewPool`", "db/pool.go"},
		{"`db/pool.go::NewPool`", "db/pool.go#NewPool"},
		{"`db/pool.go:12` has `NewPool`", "db/pool.go:12-12"},
		{"the folder `internal/db/` and the file `Makefile`", "internal/db/"},
		{"`main.go` and `config.json`", "main.go config.json"},
		{"`--no-verify`, `ctx.Err()`, `v1.2.x`, `example.com`, `1.25.rc`, 10:30", ""},
		{"[site](https://example.com/a.go) and `https://example.com/a.go`", ""},
		{"`a b/c.go`, `notes.md`, `rm -rf /tmp/x.go`", ""},
		{"![the pool](img/pool.png) and [its picture](img/pool.png)", "link img/pool.png"},
		{"[![the pool](img/small.png)](../../db/pool.go)", "link ../../db/pool.go"},
		{"no code here: at 12:30 we met", ""},
	} {
		doc, err := markdown.Parse([]byte(tt.line + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range said.Places(doc) {
			s := p.Path
			if p.First > 0 {
				s += fmt.Sprintf(":%d-%d", p.First, p.Last)
			}
			if p.Symbol != "" {
				s += "#" + p.Symbol
			}
			if p.Link {
				s = "link " + s
			}
			if p.Line != 1 {
				t.Errorf("%s: line %d", tt.line, p.Line)
			}
			got = append(got, s)
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.line, diff)
		}
	}
}

func TestPlaces_AreNotInBlocksOfCode(t *testing.T) {
	t.Parallel()
	text := "---\ntitle: x\n---\n\n```go\n`a.go:1`\n~~~\n```\n\nHere `b.go:2`.\n\n> ~~~~\n> c.go:3\n> ~~~\n> ~~~~\n\nd.go:4\n"
	doc, err := markdown.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range said.Places(doc) {
		got = append(got, fmt.Sprint(p.Line, " ", p.Path, ":", p.First))
	}
	if diff := cmp.Diff([]string{"10 b.go:2", "17 d.go:4"}, got); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
}
