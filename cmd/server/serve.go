package main

import (
	"context"
	"errors"
	"io"

	"github.com/compound-docs/compound-docs/internal/stdio"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/tools"
)

// serve answers MCP requests until stdin ends or ctx does. stdout carries
// JSON-RPC only; logs go to stderr.
func serve(ctx context.Context, f *flags, end *ending, stdin io.Reader, stdout, stderr io.Writer) (err error) {
	s, err := f.setUp(stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	active := workspace.New(s.index, s.searcher, s.settings, s.project, s.logger)
	defer active.Close()

	s.logger.InfoContext(ctx, "serving", "version", version)
	// A signal is the end of stdin: that cancels the calls under way, while a
	// server whose context ends waits for them.
	transport := &stdio.Transport{
		In: stdin, Out: stdout, Done: ctx.Done(), Logger: s.logger,
		OnEnd: func() { end.mustEnd("the session has ended") },
	}
	err = tools.NewServer(active, version, s.logger).Run(context.WithoutCancel(ctx), transport)
	if ctx.Err() != nil || errors.Is(err, stdio.ErrNotRead) {
		return nil
	}
	return err
}
