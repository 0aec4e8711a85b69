package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// newCommand returns the command line. Started without a sub-command it serves,
// because that is how an MCP client starts it.
func newCommand(end *ending) *cobra.Command {
	flags := &flags{}
	serve := &cobra.Command{
		Use:   "serve",
		Short: "Serve MCP over stdin and stdout (the default)",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return serve(cmd.Context(), flags, end, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	root := &cobra.Command{
		Use:           "compound-docs",
		Short:         "A project's memory for AI coding assistants",
		Args:          cobra.NoArgs,
		RunE:          serve.RunE,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.PersistentFlags().StringVar(&flags.databaseURL, "database-url", "",
		"PostgreSQL with pgvector, as postgres://user:password@host:5432/database (CDOCS_DATABASE_URL; default: one of your own)")
	root.PersistentFlags().StringVar(&flags.ollamaHost, "ollama-host", "",
		"Ollama, several separated by commas (CDOCS_OLLAMA_HOST; default http://localhost:11434)")
	root.PersistentFlags().StringVar(&flags.logLevel, "log-level", "",
		"debug, info, warn or error, on stderr (CDOCS_LOG_LEVEL; default info)")
	root.PersistentFlags().StringVar(&flags.project, "project", "",
		"repository to activate with the first tool call, or to reindex (CLAUDE_PROJECT_DIR)")
	commands := []*cobra.Command{
		serve, newInitCommand(flags), newUpCommand(flags), newDownCommand(flags), newStatusCommand(flags), newDoctorCommand(flags),
		newIngestCommand(flags), newReindexCommand(flags), newCleanupCommand(flags), newEvalCommand(flags), newCriticalCommand(flags),
	}
	root.AddCommand(commands...)
	root.AddCommand(&cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "compound-docs", version)
			return err
		},
	})
	return root
}
