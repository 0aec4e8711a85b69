package main

import (
	"errors"
	"fmt"
	"io"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/compound-docs/compound-docs/internal/plain"
)

// The chapters of the help and of docs/commands.md.
const (
	groupAsk   = "ask"
	groupIndex = "index"
	groupSetUp = "set-up"
)

// newCommand returns the command line. Started without a sub-command it serves,
// because that is how an MCP client starts it.
func newCommand(end *ending, stdout io.Writer) *cobra.Command {
	flags := &flags{}
	serve := newServeCommand(flags, end, stdout)
	root := &cobra.Command{
		Use:   "compound-docs",
		Short: "A project's memory for AI coding assistants",
		Long: `A project's memory for AI coding assistants: an index of the markdown in a repository,
which MCP clients search with compound-docs serve, and people with the commands below.

Without a command it serves MCP, as compound-docs serve does.

Exit codes: 0 done; 1 failed; 2 the command line, or what it names, is wrong, and nothing
was done; 3 the program hung at its end; 130 or 143 ended by a signal.
compound-docs doctor has codes of its own.`,
		RunE:          serve.RunE,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetOut(plain.NewOutput(stdout))
	addFlags(root, flags)
	root.AddGroup(
		&cobra.Group{ID: groupAsk, Title: "Find and ask:"},
		&cobra.Group{ID: groupIndex, Title: "Keep the index:"},
		&cobra.Group{ID: groupSetUp, Title: "Set up and run:"},
	)
	add := func(group string, commands ...*cobra.Command) {
		for _, command := range commands {
			command.GroupID = group
			root.AddCommand(command)
		}
	}
	add(groupAsk, newSearchCommand(flags), newAskCommand(flags), newAboutCommand(flags),
		newInspectCommand(flags), newDocTypesCommand(flags),
		newGraphCommand(flags), newCriticalCommand(flags), newRecallCommand(flags))
	add(groupIndex, newSyncCommand(flags), newIndexCommand(flags), newPromoteCommand(flags), newDeleteCommand(flags),
		newLintCommand(flags), newReviewCommand(flags), newImportCommand(flags),
		newIngestCommand(flags), newReindexCommand(flags), newCleanupCommand(flags), newEvalCommand(flags))
	add(groupSetUp, newInitCommand(flags), newUpCommand(flags), newDownCommand(flags), newStatusCommand(flags),
		newDoctorCommand(flags), serve, newVersionCommand())
	root.SetHelpCommandGroupID(groupSetUp)
	root.SetCompletionCommandGroupID(groupSetUp)
	root.SetFlagErrorFunc(inPlainWords)
	tellRunErrors(root)
	return root
}

func addFlags(root *cobra.Command, flags *flags) {
	root.PersistentFlags().StringVar(&flags.databaseURL, "database-url", "",
		"PostgreSQL with pgvector, as postgres://user:password@host:5432/database (CDOCS_DATABASE_URL; default: one of your own)")
	root.PersistentFlags().StringVar(&flags.ollamaHost, "ollama-host", "",
		"where Ollama listens (CDOCS_OLLAMA_HOST; default http://localhost:11434)")
	root.PersistentFlags().StringVar(&flags.logLevel, "log-level", "",
		"debug, info, warn or error, on stderr (CDOCS_LOG_LEVEL; default info)")
	root.PersistentFlags().StringVar(&flags.project, "project", "",
		"repository to work on (CLAUDE_PROJECT_DIR; default: that of the current folder; serve has none by default)")
	complete(root, "log-level", "debug", "info", "warn", "error")
	if err := root.MarkPersistentFlagDirname("project"); err != nil {
		panic(err) // the flag is declared above
	}
}

// tellRunErrors marks the errors of commands, to tell them from errors in the command line.
func tellRunErrors(command *cobra.Command) {
	if run := command.RunE; run != nil {
		command.RunE = func(cmd *cobra.Command, args []string) error {
			if err := run(cmd, args); err != nil {
				return runError{err}
			}
			return nil
		}
	}
	for _, child := range command.Commands() {
		tellRunErrors(child)
	}
}

// addJSON adds the flag with which a command prints JSON.
func addJSON(command *cobra.Command, asJSON *bool) {
	command.Flags().BoolVar(asJSON, "json", false, "print JSON")
}

// complete has a shell complete a flag with the values. It panics if there is no such
// flag: commands are declared at start, so every test would fail.
func complete(command *cobra.Command, flag string, values ...string) {
	fixed := cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	if err := command.RegisterFlagCompletionFunc(flag, fixed); err != nil {
		panic(err)
	}
}

// needs returns the check of a command that takes from least to most arguments; most < 0 is
// no limit. example is a correct call.
func needs(least, most int, what, example string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return fmt.Errorf("%s is missing; give it as in `%s`", what, example)
		case most >= 0 && len(args) > most:
			return fmt.Errorf("%q is too much; give %s as in `%s`", strings.Join(args[most:], " "), what, example)
		}
		return nil
	}
}

// noArgs is the check of a command without arguments.
func noArgs(command *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%q is too much; `%s` takes flags only", strings.Join(args, " "), command.CommandPath())
	}
	return nil
}

// inPlainWords returns the error of a flag's value without the text of Go's parser.
func inPlainWords(_ *cobra.Command, err error) error {
	invalid, ok := errors.AsType[*pflag.InvalidValueError](err)
	if _, isNumber := errors.AsType[*strconv.NumError](err); !ok || !isNumber {
		return err
	}
	return fmt.Errorf("--%s is %q; give a number", invalid.GetFlag().Name, invalid.GetValue())
}

func newServeCommand(flags *flags, end *ending, stdout io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Serve MCP over stdin and stdout (the default)",
		Long: `Serve MCP over stdin and stdout, as a client such as Claude Code asks for it, until stdin
ends. stdout carries JSON-RPC only; logs go to stderr.

The first call that needs a project activates the one of --project, if that is given.`,
		Example: "  compound-docs serve\n  compound-docs serve --project ~/my-project --log-level debug",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			signal.Reset(syscall.SIGPIPE) // a client that is gone ends the program
			return serve(cmd.Context(), flags, end, cmd.InOrStdin(), stdout, cmd.ErrOrStderr())
		},
	}
}

func newVersionCommand() *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "Print the version of this program.",
		Example: "  compound-docs version --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return plain.JSON(cmd.OutOrStdout(), map[string]string{"version": version})
			}
			plain.Println(cmd.OutOrStdout(), "compound-docs", version)
			sayName(cmd.ErrOrStderr())
			return nil
		},
	}
	addJSON(command, &asJSON)
	return command
}

// exclusive fails if one of the flags was given. --other was, and they exclude each other.
func exclusive(command *cobra.Command, other string, flags ...string) error {
	for _, flag := range flags {
		if command.Flags().Changed(flag) {
			return usageError{errors.New("--" + flag + " does not go with --" + other + "; leave one of them out")}
		}
	}
	return nil
}

// optional returns the value of a flag, and nil if it was not given.
func optional[T any](command *cobra.Command, flag string, value *T) *T {
	if !command.Flags().Changed(flag) {
		return nil
	}
	return value
}
