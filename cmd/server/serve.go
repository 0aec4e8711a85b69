package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/stdio"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/tools"
)

// startPatience is how long a call waits for the start of the user's own database. Clients
// give up after a minute.
const startPatience = 30 * time.Second

// serve answers MCP requests until stdin ends or ctx does. stdout carries
// JSON-RPC only; logs go to stderr.
func serve(ctx context.Context, f *flags, end *ending, stdin io.Reader, stdout, stderr io.Writer) (err error) {
	s, err := f.setUp(stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if s.server != nil {
		s.server.Patience = startPatience
	}
	s.database.OnOpened(func(v db.Version) {
		if problem, remedy := v.Concern(); problem != "" {
			s.logger.WarnContext(ctx, "the database needs care", "problem", problem, "remedy", remedy)
		}
	})
	active := workspace.New(s.index, s.searcher, s.answerer, s.settings, s.project, s.logger)
	defer active.Close()

	s.logger.InfoContext(ctx, "serving", "version", version)
	// A signal ends the input, which cancels the calls under way. A server whose context
	// ends would wait for them.
	transport := &stdio.Transport{
		In: stdin, Out: stdout, Done: ctx.Done(), Logger: s.logger,
		OnEnd: func() { end.mustEnd("the session has ended") },
	}
	err = tools.NewServer(active, s.home, version, s.logger).Run(context.WithoutCancel(ctx), transport)
	if ctx.Err() != nil || errors.Is(err, stdio.ErrNotRead) {
		return nil
	}
	return err
}
