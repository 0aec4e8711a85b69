package main

import (
	"context"
	"errors"
	"io"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/stdio"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/tools"
)

func newServeCommand(flags *flags, stdout io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Serve MCP over stdin and stdout (the default)",
		Long: `Serve MCP over stdin and stdout until stdin ends. Logs go to stderr.

The first call that needs a project activates that of --project. Without it, the client or the
current folder names the project.`,
		Example: "  compound-docs serve\n  compound-docs serve --project ~/my-project --log-level debug",
		RunE: withSetup(flags, func(s *setup) error {
			signal.Reset(syscall.SIGPIPE) // the program ends when the client is gone
			return s.serve(stdout)
		}),
	}
}

// startWait is how long a call waits for the private database to start. Clients give up after a minute.
const startWait = 30 * time.Second

// serve answers MCP requests until stdin ends or the command is cancelled.
func (s *setup) serve(stdout io.Writer) error {
	// The server ends when its terminal is closed, even if the parent process ignores SIGHUP.
	ctx, stop := signal.NotifyContext(s.command.Context(), syscall.SIGHUP)
	defer stop()
	if s.server != nil {
		s.server.StartWait = startWait
	}
	active := workspace.New(s.index, s.searcher, s.answerer, s.settings, s.project, s.logger)
	defer active.Close()
	if s.project == "" {
		root, err := findProject("")
		if err != nil {
			s.logger.DebugContext(ctx, "find a project", "error", err)
		} else {
			active.SetClientFolders(ctx, []string{root}) // until the client names others
		}
	}
	repository, err := project.FindRoot(s.project)
	if err != nil {
		s.logger.DebugContext(ctx, "find the repository", "error", err)
	}

	s.logger.InfoContext(ctx, "serving", "version", version)
	transport := stdio.New(s.command.InOrStdin(), stdout, func() { mustEnd("the session has ended", grace) })
	// A signal ends the input, and the end of the input cancels the calls. If the signal cancelled the server's context
	// instead, the server would first wait for the calls.
	defer context.AfterFunc(ctx, func() {
		transport.End()
		if s.command.Context().Err() == nil { // otherwise [onSignal] has called mustEnd already
			mustEnd(syscall.SIGHUP.String(), grace)
		}
	})()
	handler := tools.NewHandler(active, s.home, apierror.InMCP, s.logger)
	hookCtx, endHooks := context.WithCancel(ctx)
	var listening sync.WaitGroup
	defer listening.Wait()
	defer endHooks()
	listening.Go(func() { hookServer{s.home, active, handler, s.logger}.run(hookCtx) })
	err = tools.NewServer(handler, repository, version).Run(context.WithoutCancel(ctx), transport)
	if ctx.Err() != nil || errors.Is(err, stdio.ErrNotRead) {
		return nil
	}
	return err
}
