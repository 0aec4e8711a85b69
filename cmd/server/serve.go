package main

import (
	"context"
	"errors"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/internal/session"
	"github.com/compound-docs/compound-docs/tools"
)

// serve answers MCP requests until stdin ends or ctx does. stdout carries
// JSON-RPC only; logs go to stderr.
func serve(ctx context.Context, f *flags, stdin io.Reader, stdout, stderr io.Writer) (err error) {
	s, err := f.setUp(stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	active := session.New(s.library, s.settings, s.project, s.logger)
	defer active.Close()

	s.logger.InfoContext(ctx, "serving", "version", version)
	transport := &mcp.IOTransport{Reader: io.NopCloser(stdin), Writer: nopCloser{stdout}}
	err = tools.NewServer(active, version, s.logger).Run(ctx, transport)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
