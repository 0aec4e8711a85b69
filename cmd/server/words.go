package main

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

type rewordedError struct {
	error

	text string
}

func (e rewordedError) Error() string { return e.text }

func (e rewordedError) Unwrap() error { return e.error }

// inFlags returns the error of a tool with flags and commands for parameters and tools.
func inFlags(command *cobra.Command, err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	command.Flags().VisitAll(func(flag *pflag.Flag) {
		// An error begins with the parameter, and so does each one in a list.
		parameter := regexp.MustCompile(`(^|\) )` + strings.ReplaceAll(flag.Name, "-", "_") + `(\[\d+\])? `)
		text = parameter.ReplaceAllString(text, "${1}--"+flag.Name+" ")
	})
	return rewordedError{err, inCommands(text)}
}

// inCommands replaces the names of tools in a text by those of commands.
func inCommands(text string) string {
	return strings.NewReplacer(
		"leave out `mode: \"lexical\"`", "leave out --mode lexical",
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
