// Command bench measures what the program costs, on real PostgreSQL with pgvector,
// and real Ollama where embedding is the subject. It knows the whole module, and nothing imports it.
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
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"time"
)

func main() {
	quick := flag.Bool("quick", false, "measure in minutes, at smaller sizes")
	only := flag.String("only", "", "measure only what gives rows whose `names` match this regular expression")
	file := flag.String("write", "", "put the rows into the report in this `file`, with data beside it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, newEnvironment(*quick, os.Stderr), *only, *file)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures the rows whose names match a regular expression, prints them, and puts
// them into the report in a file, unless that is "".
func run(ctx context.Context, e *environment, names, file string) error {
	only, err := regexp.Compile(names)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	began := time.Now()
	return (&bench{environment: e}).within(func(whole *bench) {
		e.whole = whole
		whole.prepare()
		commit, facts := version(ctx), whole.facts(ctx)
		for _, m := range measurements() {
			if !only.MatchString(m.Name) {
				continue
			}
			row := m.Row
			row.Commit, row.Date, row.Quick = commit, began.UTC().Format(time.DateOnly), e.quick
			if err := whole.within(func(b *bench) { row.Value, row.Note = m.measure(ctx, b) }); err != nil {
				check(fmt.Errorf("measure %s: %w", m.Name, err))
			}
			fmt.Printf("%s\n    %s\n", row, row.Note)
			if row.Short() && row.Reason != "" {
				fmt.Println("    Short because " + row.Reason)
			}
			if file != "" {
				check(write(file, facts, row))
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
