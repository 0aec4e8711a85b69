package main

import (
	"context"
	"errors"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/internal/workspace"
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
	active := workspace.New(s.library, s.settings, s.project, s.logger)
	defer active.Close()

	s.logger.InfoContext(ctx, "serving", "version", version)
	// A signal is the end of stdin: that cancels the calls under way, while a
	// server whose context ends waits for them.
	transport := &mcp.IOTransport{Reader: until(ctx, stdin), Writer: nopCloser{stdout}}
	err = tools.NewServer(active, version, s.logger).Run(context.WithoutCancel(ctx), transport)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// until returns what r has, and ends with r or ctx. Nothing can interrupt a read
// of stdin: the goroutine that is in one ends with the process.
func until(ctx context.Context, r io.Reader) io.ReadCloser {
	reader, writer := io.Pipe()
	go func() {
		_, err := io.Copy(writer, r)
		writer.CloseWithError(err)
	}()
	context.AfterFunc(ctx, func() { writer.CloseWithError(io.EOF) })
	return reader
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
