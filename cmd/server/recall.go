package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/tools"
)

// maxHook bounds what a hook is given, in bytes.
const maxHook = 4 << 20

func newRecallCommand(flags *flags) *cobra.Command {
	var hook bool
	command := &cobra.Command{
		Use:    "recall --hook",
		Hidden: true, // hooks call it
		Short:  "Answer a hook of an assistant: point to the document that a prompt needs",
		Long: `Answer a hook of an assistant that starts a program and gives it an event as JSON on
stdin, in the form of Claude Code, which Codex and others have taken over. It prints the
hook's output with the one document that surely answers a prompt, or that cites the file
about to be edited, and prints {} otherwise. The plugin for Claude Code does not need it:
its hooks ask the server that runs.

The events are UserPromptSubmit, PreToolUse and PreCompact. An error ends with 1,
because assistants take 2 for a veto.`,
		Example: `  compound-docs recall --hook <event.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !hook {
				return usagef("give --hook, and the event on stdin; to search by yourself: compound-docs search \"…\"")
			}
			event, err := readHook(cmd.InOrStdin())
			if err == nil {
				err = withProject(flags, func(t *tooling, ctx context.Context) error {
					t.workspace.Once()
					answer, err := t.tools.Recall(ctx, event)
					if err != nil {
						return err
					}
					return plain.JSON(t.stdout, answer)
				})(cmd, args)
			}
			if err != nil {
				// An assistant takes the exit code 2 of a usage error for a veto.
				return errors.New(err.Error())
			}
			return nil
		},
	}
	command.Flags().BoolVar(&hook, "hook", false, "read an event from stdin, and print a hook's output")
	return command
}

// readHook returns the parameters of the tool recall for an event.
func readHook(stdin io.Reader) (tools.RecallInput, error) {
	var event struct {
		Event     string `json:"hook_event_name"`
		SessionID string `json:"session_id"`
		Prompt    string `json:"prompt"`
		ToolName  string `json:"tool_name"`
		ToolInput struct {
			FilePath string `json:"file_path"`
		} `json:"tool_input"`
	}
	if err := json.NewDecoder(io.LimitReader(stdin, maxHook)).Decode(&event); err != nil {
		return tools.RecallInput{}, fmt.Errorf("stdin has no event as JSON (%s); give one such as "+
			`{"hook_event_name": "UserPromptSubmit", "session_id": "1", "prompt": "why is the pool exhausted?"}`, err)
	}
	return tools.RecallInput{
		Event: event.Event, SessionID: event.SessionID, Prompt: event.Prompt, ToolName: event.ToolName,
		FilePath: event.ToolInput.FilePath,
	}, nil
}
