package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/rag/apierror"
)

// wordsOf returns how a command names things in messages: flags instead of parameters, commands instead of tools.
func wordsOf(command *cobra.Command) apierror.Words {
	return func(part apierror.Part) string {
		switch part := part.(type) {
		case apierror.Call:
			if instead := commands[part.Tool]; instead != "" {
				return "run " + instead
			}
		case apierror.Argument:
			return "--" + part.Parameter + " " + part.Value
		case apierror.Parameter:
			flag := strings.ReplaceAll(string(part), "_", "-")
			if command.Flags().Lookup(flag) != nil {
				return "--" + flag
			}
			if part == "promotion_level" {
				return "LEVEL"
			}
		}
		return apierror.InMCP(part)
	}
}

// commands maps the name of a tool to the command that messages name instead.
var commands = map[string]string{
	"semantic_search":      "`compound-docs search`",
	"search_external_docs": "`compound-docs search --external`",
	"search_handbook":      "`compound-docs search --handbook`",
	"activate_project":     "compound-docs sync",
}
