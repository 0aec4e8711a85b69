package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/rag/apierror"
)

// wordsOf returns the words for messages of a command: flags instead of parameters, commands instead of tools.
func wordsOf(command *cobra.Command) apierror.Words {
	return func(part apierror.Part) string {
		switch part := part.(type) {
		case apierror.Call:
			if instead := commandFor(part.Tool); instead != "" {
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

// commandFor returns the command that does the same as a tool, or "" if there is none.
func commandFor(tool string) string {
	switch tool {
	case "semantic_search":
		return "`compound-docs search`"
	case "search_external_docs":
		return "`compound-docs search --external`"
	case "search_handbook":
		return "`compound-docs search --handbook`"
	case "activate_project":
		return "compound-docs sync"
	default:
		return ""
	}
}
