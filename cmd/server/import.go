package main

import (
	"errors"
	"fmt"
	"io"
	"path"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/claude"
	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/imports"
	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/project"
)

type importFlags struct {
	memory, yes, print, json bool
}

func newImportCommand(flags *flags) *cobra.Command {
	var f importFlags
	command := &cobra.Command{
		Use:   "import [SOURCE ...]",
		Short: "Make documents of what a team wrote elsewhere",
		Long: `Propose documents made from what is there already, one at a time, each with the three
documents that are most like it, by words, and write those that you accept. A file that is
there is never overwritten, and its document not proposed again.

SOURCE is a file or folder of the repository. Without it these are looked into: docs/adr,
docs/adrs, docs/decisions, docs/architecture/decisions, the same below doc, docs/solutions and
CHANGELOG.md. With --claude-memory it is the folder in which Claude Code keeps what it notes of
this project, outside the repository; it is read only then.

A decision record becomes a document of the codebase, a solution a problem if it says its
symptoms, cause and solution in front matter or sections, each dated version of a changelog and
everything else an insight. The text stays as it is but for relative links, which lead where
they led. See to significance and the like before you commit.

On a terminal it asks for each one. Elsewhere give --print or --json to see what is proposed,
or --yes with the sources to write all of it.`,
		Example: `  compound-docs import
  compound-docs import --print docs/adr
  compound-docs import --yes docs/adr CHANGELOG.md`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, flags, args) },
	}
	command.Flags().BoolVar(&f.memory, "claude-memory", false, "import what Claude Code notes of this project")
	command.Flags().BoolVar(&f.print, "print", false, "print what is proposed, and write nothing")
	command.Flags().BoolVarP(&f.yes, "yes", "y", false, "write all that is made of the sources named")
	addJSON(command, &f.json)
	return command
}

func (f *importFlags) run(command *cobra.Command, flags *flags, sources []string) error {
	if f.print {
		if err := exclusive(command, "print", "yes", "json"); err != nil {
			return err
		}
	}
	if f.json {
		if err := exclusive(command, "json", "yes"); err != nil {
			return err
		}
	}
	switch asks := !f.yes && !f.print && !f.json; {
	case f.yes && len(sources) == 0 && !f.memory:
		return usagef("--yes needs the sources; name them, such as docs/adr, or give --claude-memory")
	case asks && !plain.IsTerminal(command.InOrStdin()):
		return usagef("nothing was written; give --print to see what is proposed, or --yes with the sources")
	}
	options, root, err := flags.here()
	if err != nil {
		return err
	}
	p, err := project.Load(root, options.settings.ExternalDocsAllowed...)
	if err != nil {
		return err
	}
	memory := ""
	if f.memory {
		if memory, err = claude.MemoryFolder(root); err != nil {
			return err
		}
	}
	proposals, unfit, err := imports.Find(command.Context(), p, sources, memory)
	if err != nil {
		return err
	}
	for _, problem := range unfit {
		plain.Println(command.ErrOrStderr(), "left out:", problem)
	}
	if f.json {
		return plain.JSON(command.OutOrStdout(), map[string]any{"proposals": append([]imports.Proposal{}, proposals...)})
	}
	return f.offer(command, root, proposals)
}

// offer prints the proposals, and writes those that are accepted.
func (f *importFlags) offer(command *cobra.Command, root string, proposals []imports.Proposal) error {
	stdout, asker, written := command.OutOrStdout(), newAsker(command, f.yes), 0
	for _, proposal := range proposals {
		printProposal(stdout, proposal)
		if f.print {
			plain.Println(stdout, plain.Block(proposal.Content))
			continue
		}
		if !asker.may("Write it?") {
			continue
		}
		if err := writeProposal(root, proposal); err != nil {
			return err
		}
		written++
	}
	if f.print {
		if len(proposals) == 0 {
			plain.Println(command.ErrOrStderr(), "note: nothing was found that is not a document already")
		}
		return nil
	}
	plain.Printf(stdout, "%s written of %s\n", plain.Count(written, "document"), plain.Count(len(proposals), "proposal"))
	return nil
}

func printProposal(w io.Writer, p imports.Proposal) {
	s := plain.StyleFor(w)
	plain.Printf(w, "%s from %s: %s\n  %s\n", plain.Path(p.Path), plain.Path(p.Source), p.Title, s.Dim(p.Summary))
	for _, near := range p.Neighbours {
		plain.Printf(w, "  near %s:%d-%d %s\n", plain.Path(near.Path), near.StartLine, near.EndLine, s.Dim(near.Title))
	}
}

// writeProposal writes a document where there is no file.
func writeProposal(root string, p imports.Proposal) (err error) {
	folder, err := contain.Open(root)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	if err := folder.MkdirAll(path.Dir(p.Path), 0o755); err != nil {
		return fmt.Errorf("write %s: %w", p.Path, err)
	}
	if err := folder.Create(p.Path, []byte(p.Content), 0o644); err != nil {
		return fmt.Errorf("write %s: %w", p.Path, err)
	}
	return nil
}
