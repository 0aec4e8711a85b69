package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/linkgraph"
	"github.com/compound-docs/compound-docs/internal/plain"
)

func newGraphCommand(flags *flags) *cobra.Command {
	var output string
	command := &cobra.Command{
		Use:   "graph",
		Short: "Draw the links between documents",
		Long: `Draw the project's own documents and the links between them, from the files alone: neither
the database nor Ollama is needed. Without --output it prints DOT, for Graphviz. The name of
--output says what it writes:

- .dot or .gv: the same
- .html: one page for a browser, which needs no other file and no network; its links to the
  documents are relative to the page

Doc-types have colours of their own, promoted documents are larger, and documents without
links have a dashed outline. An arrow with two heads stands for links in both directions, and
a dashed one for supersedes. Documents that are not valid are left out, as in the index;
compound-docs lint names them.`,
		Example: `  compound-docs graph --output knowledge.html
  compound-docs graph | dot -Tsvg -o knowledge.svg`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return drawGraph(newInvocation(cmd, args), flags, output)
		},
	}
	command.Flags().StringVarP(&output, "output", "o", "", "write to this file, such as knowledge.html (default: stdout)")
	exclude(command, "json", "output")
	return command
}

// drawGraph writes the graph to the file output, or to stdout if that is "".
func drawGraph(i invocation, flags *flags, output string) (err error) {
	ending := strings.ToLower(filepath.Ext(output))
	if output != "" && !slices.Contains([]string{".html", ".dot", ".gv"}, ending) {
		return usagef("--output is %q; give a name that ends with .html, .dot or .gv", output)
	}
	p, err := flags.loadHere()
	if err != nil {
		return err
	}
	set, err := docset.Read(i.command.Context(), p)
	if err != nil {
		return err
	}
	drawn := linkgraph.New(set)
	switch {
	case i.json:
		return plain.JSON(i.stdout, drawn)
	case output == "":
		return drawn.DOT(i.stdout)
	}
	repository, err := relativeTo(filepath.Dir(output), p.Root)
	if err != nil {
		return err
	}
	file, err := os.Create(output)
	if err != nil {
		return usageError{fmt.Errorf("write the picture: %w", err)}
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if ending == ".html" {
		return drawn.HTML(file, p.Config.ProjectName, repository)
	}
	return drawn.DOT(file)
}

// relativeTo returns the path of a folder relative to another one, with slashes.
func relativeTo(from, folder string) (string, error) {
	from, err := filepath.Abs(from)
	if err != nil {
		return "", fmt.Errorf("find the folder of the page: %w", err)
	}
	if real, err := filepath.EvalSymlinks(from); err == nil {
		from = real
	}
	relative, err := filepath.Rel(from, folder)
	if err != nil {
		return "", fmt.Errorf("find the documents from the page: %w", err)
	}
	return filepath.ToSlash(relative), nil
}
