package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/plain"
)

// The groups of commands in the help and in docs/commands.md.
const (
	groupAsk   = "ask"
	groupIndex = "index"
	groupSetUp = "set-up"
)

// newCommand returns the root command with all its subcommands. Many MCP clients start the program without a
// subcommand: then it serves MCP. At a terminal it prints the help instead.
func newCommand(stdout io.Writer) *cobra.Command {
	flags := &flags{}
	serve := newServeCommand(flags, stdout)
	root := &cobra.Command{
		Use:   "compound-docs",
		Short: "A project's memory for AI coding assistants",
		Long: `A project's memory for AI coding assistants: an index of the markdown in a repository,
which MCP clients search with compound-docs serve, and people with the commands below.

Without a command it serves MCP, as compound-docs serve does, unless stdin is a terminal.

Exit codes: 0 done; 1 failed; 2 the command line, or what it names, is wrong, and nothing
was done; 3 the program hung at its end; 129, 130 or 143 ended by a signal.`,
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetVersionTemplate("compound-docs {{.Version}}\n")
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
		newPageCommand(flags), newCriticalCommand(flags), newRecallCommand(flags))
	add(groupIndex, newSyncCommand(flags), newPromoteCommand(flags), newRetireCommand(flags),
		newCleanCommand(flags), newLintCommand(flags), newIngestCommand(flags))
	add(groupSetUp, newInitCommand(flags), newUpCommand(flags), newDownCommand(flags), newStatusCommand(flags),
		newDoctorCommand(flags), serve)
	root.SetHelpCommandGroupID(groupSetUp)
	root.SetCompletionCommandGroupID(groupSetUp)
	for _, command := range root.Commands() {
		complement(command)
	}
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if plain.IsTerminal(cmd.InOrStdin()) {
			return cmd.Help()
		}
		return serve.RunE(cmd, args)
	}
	return root
}

// complement adds the flag --json and a check of the arguments to a command, and wraps its errors in a [runError].
func complement(command *cobra.Command) {
	if command.Args == nil {
		command.Args = noArgs
	}
	if command.Flags().Lookup("json") == nil && !slices.Contains([]string{"serve", "recall", "page", "init"}, command.Name()) {
		command.Flags().Bool("json", false, "print JSON")
	}
	run := command.RunE
	command.RunE = func(cmd *cobra.Command, args []string) error {
		if err := run(cmd, args); err != nil {
			return runError{err}
		}
		return nil
	}
}

func addFlags(root *cobra.Command, flags *flags) {
	root.PersistentFlags().StringVar(&flags.databaseURL, "database-url", "",
		"PostgreSQL with pgvector, as postgres://user:password@host:5432/database (CDOCS_DATABASE_URL; default: one of your own)")
	root.PersistentFlags().StringVar(&flags.ollamaHost, "ollama-host", "",
		"where Ollama listens (CDOCS_OLLAMA_HOST; default http://localhost:11434)")
	root.PersistentFlags().StringVar(&flags.logLevel, "log-level", "",
		"debug, info, warn or error, on stderr (CDOCS_LOG_LEVEL; default info)")
	root.PersistentFlags().StringVar(&flags.project, "project", "",
		"repository to work on (CLAUDE_PROJECT_DIR; default: that of the current folder)")
}

// invocation is one call of a command: its arguments and its outputs.
type invocation struct {
	flags          *flags
	command        *cobra.Command
	args           []string
	stdout, stderr io.Writer
	json           bool // value of --json
}

// run returns a function for cobra that calls body.
func (f *flags) run(body func(i invocation) error) func(*cobra.Command, []string) error {
	return func(command *cobra.Command, args []string) error {
		asJSON, err := command.Flags().GetBool("json")
		return body(invocation{
			flags: f, command: command, args: args, stdout: command.OutOrStdout(), stderr: command.ErrOrStderr(),
			json: err == nil && asJSON,
		})
	}
}

// print writes value to stdout as JSON with --json. Otherwise it calls writeText, which writes a text for people.
func (i invocation) print(value any, writeText func(w io.Writer)) error {
	if i.json {
		return plain.JSON(i.stdout, value)
	}
	writeText(i.stdout)
	return nil
}

// notef prints a note on stderr, apart from the result on stdout.
func (i invocation) notef(format string, values ...any) {
	plain.Println(i.stderr, plain.StyleFor(i.stderr).Dim("note: "+fmt.Sprintf(format, values...)))
}

// needs returns a check of how many arguments a command gets. If maxArgs is negative, there is no upper limit. An error
// of the check contains argsName, such as "the question", and example.
func needs(minArgs, maxArgs int, argsName, example string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < minArgs:
			return fmt.Errorf("%s is missing; give it as in `%s`", argsName, example)
		case maxArgs >= 0 && len(args) > maxArgs:
			return fmt.Errorf("unexpected argument %q; give %s as in `%s`", strings.Join(args[maxArgs:], " "), argsName, example)
		}
		return nil
	}
}

func noArgs(command *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q; `%s` takes flags only", strings.Join(args, " "), command.CommandPath())
	}
	return nil
}

// exclude forbids a user to give two flags together: the first flag and any of the other flags.
func exclude(command *cobra.Command, flag string, others ...string) {
	for _, other := range others {
		command.MarkFlagsMutuallyExclusive(flag, other)
	}
}

// checkFlag returns a usage error if the value of a flag is not allowed.
func checkFlag(name, value string, allowed []string) error {
	if !slices.Contains(allowed, value) {
		return usagef("--%s is %q; give one of %s", name, value, strings.Join(allowed, ", "))
	}
	return nil
}

// optional returns the value of a flag, or nil if the user did not give the flag.
func optional[T any](command *cobra.Command, flag string, value *T) *T {
	if !command.Flags().Changed(flag) {
		return nil
	}
	return value
}
