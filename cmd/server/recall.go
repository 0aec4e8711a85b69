package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/hooks"
	"github.com/compound-docs/compound-docs/internal/plain"
)

func newRecallCommand(flags *flags) *cobra.Command {
	var asHook bool
	command := &cobra.Command{
		Use:    "recall --hook",
		Hidden: true, // hooks call it
		Short:  "Answer a hook of an assistant: point to the document that it needs",
		Long: `Answer a hook of an assistant: it reads an event as JSON from stdin, in the form of Claude
Code, Codex, Gemini CLI or Cursor. It prints the hook's
output with one document, or {}. The hooks of the plugin for Claude Code ask the server
that runs instead.

An error ends with 1, because assistants take 2 for a veto.`,
		Example: `  compound-docs recall --hook <event.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !asHook {
				return usagef("give --hook, and the event on stdin; to search by yourself: compound-docs search \"…\"")
			}
			err := answerHook(flags, cmd, args)
			if err != nil {
				// An assistant takes the exit code 2 of a usage error for a veto.
				return errors.New(err.Error())
			}
			return nil
		},
	}
	command.Flags().BoolVar(&asHook, "hook", false, "read an event from stdin, and print a hook's output")
	return command
}

// hookPatience bounds a hook, which assistants end after five seconds. The first prompt starts the private database:
// an assistant such as Codex starts the server long before it calls a tool of it.
const hookPatience = 4 * time.Second

// answerHook reads an event from stdin, and prints what the hook says.
func answerHook(flags *flags, cmd *cobra.Command, args []string) error {
	hook, err := hooks.ReadHook(cmd.InOrStdin())
	if err != nil {
		return err
	}
	return withProject(flags, func(t *tooling) error {
		t.workspace.Once()
		ctx, cancel := context.WithTimeout(cmd.Context(), hookPatience)
		defer cancel()
		if t.server != nil && hook.Event.Event == hooks.Prompt {
			_, _ = t.workspace.ActiveWithin(ctx) // Recall meets the error again
		}
		answer, err := t.tools.Recall(ctx, hook.Event)
		if err != nil {
			return err
		}
		return plain.JSON(t.stdout, hook.Answer(answer))
	})(cmd, args)
}
