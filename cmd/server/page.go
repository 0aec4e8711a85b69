package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/docset/page"
	"github.com/compound-docs/compound-docs/internal/hooks"
	"github.com/compound-docs/compound-docs/internal/plain"
)

func newPageCommand(flags *flags) *cobra.Command {
	var output string
	command := &cobra.Command{
		Use:   "page",
		Short: "Write one page in which people search and read the documents",
		Long: `Write the project's documents and its external docs as one HTML file, to search and read in a
browser, with what lint finds, your questions that found nothing, and how often hooks have shown
a document. It needs neither the database nor Ollama. The page does not change by itself. Anyone
with the file can read all of it.`,
		Example: "  compound-docs page --output knowledge.html\n  compound-docs page > knowledge.html",
		RunE:    flags.run(func(i invocation) error { return i.page(output) }),
	}
	command.Flags().StringVarP(&output, "output", "o", "", "write to this file, such as knowledge.html (default: stdout)")
	return command
}

func (i invocation) page(output string) error {
	home, err := homeFolder()
	if err != nil {
		return err
	}
	p, err := i.loadHere()
	if err != nil {
		return err
	}
	var written bytes.Buffer // so that a failure leaves no half page behind
	if err := page.Write(i.command.Context(), &written, p, hooks.NewStore(home)); err != nil {
		return err
	}
	if output == "" {
		_, err := i.stdout.Write(written.Bytes())
		return err
	}
	if err := os.WriteFile(output, written.Bytes(), 0o644); err != nil { //nolint:gosec // others may read it, like any document
		return usageError{fmt.Errorf("write the page: %w", err)}
	}
	plain.Println(i.stdout, "The page is in "+plain.Path(output)+". Open it in a browser.")
	return nil
}
