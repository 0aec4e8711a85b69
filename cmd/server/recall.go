package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/hooks"
	"github.com/compound-docs/compound-docs/internal/plain"
)

type recallFlags struct {
	hook          bool
	client, event string
	run, fails    string
	edit, writes  string
}

func newRecallCommand(flags *flags) *cobra.Command {
	var f recallFlags
	command := &cobra.Command{
		Use:   "recall",
		Short: "Say what hooks tell an assistant at a command, an edit or a failure, and why",
		Long: `Try triggers: say what hooks tell an assistant at a command, an edit or the output of a failed
command, and which trigger of which document says it.

With --hook it answers a hook: it reads an event as JSON from stdin, and prints the answer in the
assistant's form. --client and --event name the assistant and its event if the event itself does
not. A running server of the project answers, or else the program itself. Outside a project the
answer is empty. An error ends with 1, and a hung hook with 3, because assistants take 2 for a veto.`,
		Example: `  compound-docs recall --run 'terraform apply -target=module.db'
  compound-docs recall --edit db/migrations/V7.sql --writes 'CREATE INDEX a ON b (c)'
  compound-docs recall --fails 'exec format error'
  compound-docs recall --hook <event.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.hook {
				return f.answerHook(flags, cmd, args)
			}
			return withProject(flags, f.preview)(cmd, args)
		},
	}
	set := command.Flags()
	set.BoolVar(&f.hook, "hook", false, "read an event from stdin, and print a hook's output")
	set.StringVar(&f.client, "client", "", "assistant that sends the event: "+strings.Join(hooks.Assistants(), ", "))
	set.StringVar(&f.event, "event", "", "the assistant's name of the event")
	set.StringVar(&f.run, "run", "", "command that is about to run")
	set.StringVar(&f.edit, "edit", "", "file that is about to be edited")
	set.StringVar(&f.writes, "writes", "", "text that the edit writes; without it that of the file")
	set.StringVar(&f.fails, "fails", "", "output of a command that has failed")
	command.MarkFlagsOneRequired("hook", "run", "edit", "fails")
	command.MarkFlagsMutuallyExclusive("hook", "run", "edit", "fails")
	return command
}

// act returns the event that the flags describe.
func (f *recallFlags) act() hooks.Event {
	switch {
	case f.run != "":
		return hooks.Event{Event: hooks.Before, ToolName: "Bash", Command: f.run}
	case f.edit != "":
		return hooks.Event{Event: hooks.Before, ToolName: "Write", FilePath: f.edit, Content: f.writes}
	default:
		return hooks.Event{Event: hooks.Failure, ToolName: "Bash", Command: "any", Error: f.fails}
	}
}

// preview prints what hooks would tell an assistant at the event that the flags describe, and why.
func (f *recallFlags) preview(t *tooling) error {
	t.endsSoon()
	said, err := t.tools.Preview(t.command.Context(), f.act())
	if err != nil {
		return err
	}
	printSaid(t.stdout, said)
	return nil
}

func printSaid(w io.Writer, said []hooks.Said) {
	s := plain.StyleFor(w)
	if len(said) == 0 {
		plain.Println(w, "Hooks say nothing at this.")
	}
	for _, one := range said {
		plain.Println(w, plain.Line(one.Text))
		why := one.Why
		if one.Rule != "" {
			why += ": " + one.Rule
		}
		plain.Println(w, " ", s.Dim(why))
	}
}

// Assistants end a hook after five seconds. hookTimeout limits the search for an answer, and hookEnd the whole program.
// Both times are long enough to start the private database. A hook may have to start it at the first prompt, because a
// running server does not start it before the first call of a tool.
const (
	hookTimeout = 4 * time.Second
	hookEnd     = 4500 * time.Millisecond
)

// answerHook reads an event from stdin and prints the answer of a running server, or else the answer of this program.
func (f *recallFlags) answerHook(flags *flags, cmd *cobra.Command, args []string) error {
	mustEnd("a hook", hookEnd)
	ctx, cancel := context.WithTimeout(cmd.Context(), hookTimeout)
	defer cancel()
	hook, err := hooks.ReadHook(cmd.InOrStdin(), f.client, f.event)
	if err != nil {
		return err
	}
	isNamed := flags.project != ""
	flags.project = cmp.Or(flags.project, hook.ProjectFolder())
	answer, err := askServer(ctx, flags, hook.Event)
	if errors.Is(err, errNoProject) && !isNamed {
		// Hooks in a user's own settings run in all folders, and most folders have no project.
		return printAnswer(cmd.OutOrStdout(), hook, hooks.Answer{})
	}
	if err != nil {
		return withProject(flags, func(t *tooling) error {
			t.endsSoon()
			if slices.Contains([]string{hooks.Before, hooks.After, hooks.Failure}, hook.Event.Event) {
				t.workspace.AsIs() // acts are frequent, and comparing all files with the index would take longest
			}
			return printAnswer(t.stdout, hook, t.tools.Recall(ctx, hook.Event))
		})(cmd, args)
	}
	return printAnswer(cmd.OutOrStdout(), hook, answer)
}

func printAnswer(w io.Writer, hook hooks.Hook, answer hooks.Answer) error {
	switch output := hook.Answer(answer).(type) {
	case nil:
		return nil
	case string:
		_, err := io.WriteString(w, output)
		return err
	default:
		return plain.JSON(w, output)
	}
}
