// Command bench measures what the project claims: how right its answers are and
// what they cost, on real PostgreSQL with pgvector, and real Ollama where
// embedding is the subject. It knows the whole module, and nothing imports it.
//
// It runs in the repository's root, under test/testenv/withservices, which starts
// PostgreSQL and Ollama where the machine has none. A row that misses its target
// is no error.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"time"
)

func main() {
	var o options
	flag.BoolVar(&o.quick, "quick", false, "measure in minutes, at smaller sizes")
	flag.StringVar(&o.only, "only", "", "measure only what gives rows whose `names` match this regular expression")
	flag.BoolVar(&o.keep, "keep", false, "leave the databases, to look at them afterwards, and say where they are")
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
	quick, keep bool
	only, write string
}

// measurement gives some rows.
type measurement struct {
	rows []string
	run  func(ctx context.Context, e *environment) ([]Row, error)
}

func run(ctx context.Context, o options, out, progress io.Writer) (err error) {
	only, err := regexp.Compile(o.only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	e, err := newEnvironment(ctx, o, progress)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.close(ctx)) }()
	began := time.Now()
	commit, date := version(ctx), began.UTC().Format(time.DateOnly)
	facts, err := e.facts(ctx)
	if err != nil {
		return fmt.Errorf("describe the machine: %w", err)
	}
	for _, m := range measurements() {
		if !slices.ContainsFunc(m.rows, only.MatchString) {
			continue
		}
		measured, err := m.run(ctx, e)
		if err != nil {
			return fmt.Errorf("measure %s: %w", m.rows[0], err)
		}
		for i, row := range measured {
			measured[i].Commit, measured[i].Date, measured[i].Quick = commit, date, o.quick
			fmt.Fprintln(out, row)
			fmt.Fprintln(out, "    "+row.Note)
			if row.Short() && row.Reason != "" {
				fmt.Fprintln(out, "    Short because "+row.Reason)
			}
		}
		if o.write != "" {
			if err := e.write(o.write, facts, measured); err != nil {
				return err
			}
		}
	}
	e.say("done in %v", time.Since(began).Round(time.Second))
	return nil
}

// newEnvironment expects the repository's root for a working folder, the server
// built in it, and what test/testenv/withservices provides.
func newEnvironment(ctx context.Context, o options, progress io.Writer) (_ *environment, err error) {
	began := time.Now()
	e := &environment{
		quick:        o.quick,
		keep:         o.keep,
		databaseURL:  os.Getenv("CDOCS_TEST_DATABASE_URL"),
		ollamaHost:   os.Getenv("CDOCS_TEST_OLLAMA_HOST"),
		ollamaModels: os.Getenv("CDOCS_TEST_OLLAMA_MODELS"),
		logger:       slog.New(slog.NewTextHandler(progress, &slog.HandlerOptions{Level: slog.LevelWarn})),
		say: func(format string, args ...any) {
			fmt.Fprintf(progress, "bench: %5.0fs: %s\n", time.Since(began).Seconds(), fmt.Sprintf(format, args...))
		},
	}
	if e.databaseURL == "" || e.ollamaHost == "" {
		return nil, errors.New("run it as make bench, which provides PostgreSQL and Ollama")
	}
	if e.program, err = absolute("bin/compound-docs"); err != nil {
		return nil, err
	}
	if e.dir, err = os.MkdirTemp("", "cdocs-bench-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(e.dir))
		}
	}()
	if err := os.Mkdir(filepath.Join(e.dir, "home"), 0o700); err != nil {
		return nil, err
	}
	e.hello = filepath.Join(e.dir, "hello")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", e.hello, "./test/bench/hello")
	if text, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build hello: %w\n%s", err, text)
	}
	return e, nil
}

func (e *environment) close(ctx context.Context) error {
	var err error
	if e.corpus != nil {
		err = e.corpus.close(ctx)
	}
	return errors.Join(err, os.RemoveAll(e.dir))
}
