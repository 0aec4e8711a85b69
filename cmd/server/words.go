package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/rag/apierror"
)

// inFlags returns the text of an error with flags and commands for parameters and tools.
func inFlags(command *cobra.Command, err error) string {
	text := err.Error()
	if refused, ok := errors.AsType[*apierror.Error](err); ok {
		parameter, _ := refused.Details["parameter"].(string)
		flag := strings.ReplaceAll(parameter, "_", "-")
		if command.Flags().Lookup(flag) != nil {
			text = strings.Replace(text, parameter, "--"+flag, 1)
		}
	}
	return inCommands(text)
}

// inCommands replaces the names of tools in a text by those of commands.
func inCommands(text string) string {
	return strings.NewReplacer(
		"leave out `mode: \"lexical\"`", "leave out --mode lexical", "without `mode: \"vector\"`", "without --mode vector",
		"; those in may_answer may answer.", ".",
		": call semantic_search.", ": run `compound-docs search --own`.",
		": call search_external_docs.", ": run `compound-docs search --external`.",
		": call search_handbook.", ": run `compound-docs search --handbook`.",
		"(mode \"lexical\")", "(--mode lexical)",
		"promotion_level is", "LEVEL is", "project_name is", "PROJECT is",
		"call activate_project", "run compound-docs sync",
		"list_doc_types names them", "`compound-docs doctor` names them",
	).Replace(text)
}
