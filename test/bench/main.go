// Command bench measures what the project claims: how right its answers are and
// what they cost, on real PostgreSQL with pgvector, and real Ollama where
// embedding is the subject. It knows the whole module, and nothing imports it.
//
// A row of the report is a line in measurements and the function that it names.
//
// It runs in the repository's root, under test/testenv/withservices, which starts
// PostgreSQL and Ollama where the machine has none. A row that misses its target
// is no error.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"time"
)

func main() {
	var o options
	flag.BoolVar(&o.quick, "quick", false, "measure in minutes, at smaller sizes")
	flag.StringVar(&o.only, "only", "", "measure only what gives rows whose `names` match this regular expression")
	flag.StringVar(&o.write, "write", "", "put the rows into the report in this `file`, with picture and data beside it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o, os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type options struct {
	quick       bool
	only, write string
}

func run(ctx context.Context, o options, out, progress io.Writer) error {
	only, err := regexp.Compile(o.only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	began := time.Now()
	e := newEnvironment(o.quick, progress)
	return (&bench{environment: e}).within(func(whole *bench) {
		e.whole = whole
		whole.prepare(ctx)
		commit, facts := version(ctx), whole.facts(ctx)
		for _, m := range measurements() {
			if !only.MatchString(m.Name) {
				continue
			}
			row := m.Row
			row.Commit, row.Date, row.Quick = commit, began.UTC().Format(time.DateOnly), o.quick
			if err := whole.within(func(b *bench) { row.Value, row.Note = m.measure(ctx, b) }); err != nil {
				check(fmt.Errorf("measure %s: %w", m.Name, err))
			}
			fmt.Fprintf(out, "%s\n    %s\n", row, row.Note)
			if row.Short() && row.Reason != "" {
				fmt.Fprintln(out, "    Short because "+row.Reason)
			}
			if o.write != "" {
				check(write(o.write, facts, row, e.curves))
			}
		}
		e.say("done in %v", time.Since(began).Round(time.Second))
	})
}

// version of what is measured.
func version(ctx context.Context) string {
	text, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return unknown
	}
	return strings.TrimSpace(string(text))
}
