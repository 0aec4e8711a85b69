package main

import (
	"errors"
	"io"
	"net"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/plain"
)

func newUpCommand(flags *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "up",
		Short: "Start the database, and pull the models",
		Long: `Start what the server needs:

- the private database, which runs until compound-docs down, or the one of a database URL, which
  is made if it is missing, and migrated
- both models, which Ollama pulls if they are missing. Without a model server it warns, and
  ends with 0`,
		Example: "  compound-docs up",
		RunE:    withSetup(flags, (*setup).up),
	}
}

func (s *setup) up() error {
	ctx := s.command.Context()
	address, err := s.address(ctx)
	if err != nil {
		return err
	}
	created, err := db.CreateMissing(ctx, address)
	if err != nil {
		return err
	}
	if created {
		plain.Println(s.stderr, "made the database")
	}
	if _, err := s.database.Pool(ctx); err != nil { // the first use migrates the database
		return err
	}
	for _, server := range s.modelServers() {
		err := server.Client.PullMissing(ctx, server.Models, showPulls(s.stderr))
		if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
			continue // the report below says that the server does not answer
		}
		if err != nil {
			return err
		}
	}
	return s.report(nil, true)
}

// showPulls returns a function that writes to w how much of each model is downloaded.
func showPulls(w io.Writer) func(model string, completed, total int64) {
	const mebibyte = 1 << 20
	shown := map[string]func(done, total int){}
	return func(model string, completed, total int64) {
		if shown[model] == nil {
			plain.Printf(w, "pull %s: this takes minutes\n", model)
			shown[model] = showProgress(w, "pull "+model+", MiB")
		}
		shown[model](int(completed/mebibyte), int(total/mebibyte))
	}
}

func newDownCommand(flags *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "down",
		Short: "Stop the database that up has started",
		Long: `Stop the database that compound-docs has started. All data stays.

Servers that run lose the database until compound-docs up, or until another server is started.`,
		Example: "  compound-docs down",
		RunE:    withSetup(flags, (*setup).down),
	}
}

func (s *setup) down() error {
	state, text := "not ours", "a database URL names one that compound-docs did not start"
	if s.server != nil {
		ran, err := s.server.Stop(s.command.Context())
		if err != nil {
			return err
		}
		state = "was not running"
		if ran {
			state = "stopped"
		}
		text = state
	}
	return s.print(map[string]string{"database": state}, func(w io.Writer) { plain.Println(w, "database:", text) })
}
