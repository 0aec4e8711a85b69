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
)

type importFlags struct {
	memory, yes, print bool
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
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(newInvocation(cmd, args), flags) },
	}
	command.Flags().BoolVar(&f.memory, "claude-memory", false, "import what Claude Code notes of this project")
	command.Flags().BoolVar(&f.print, "print", false, "print what is proposed, and write nothing")
	command.Flags().BoolVarP(&f.yes, "yes", "y", false, "write all that is made of the sources named")
	exclude(command, "print", "yes", "json")
	exclude(command, "json", "yes")
	return command
}

func (f *importFlags) run(i invocation, flags *flags) error {
	switch asks := !f.yes && !f.print && !i.json; {
	case f.yes && len(i.args) == 0 && !f.memory:
		return usagef("--yes needs the sources; name them, such as docs/adr, or give --claude-memory")
	case asks && !plain.IsTerminal(i.command.InOrStdin()):
		return usagef("nothing was written; give --print to see what is proposed, or --yes with the sources")
	}
	p, err := flags.loadHere()
	if err != nil {
		return err
	}
	memory := ""
	if f.memory {
		if memory, err = claude.MemoryFolder(p.Root); err != nil {
			return err
		}
	}
	proposals, unfit, err := imports.Find(i.command.Context(), p, i.args, memory)
	if err != nil {
		return err
	}
	for _, problem := range unfit {
		plain.Println(i.stderr, "left out:", problem)
	}
	if i.json {
		return plain.JSON(i.stdout, map[string]any{"proposals": append([]imports.Proposal{}, proposals...)})
	}
	return f.offer(i, p.Root, proposals)
}

// offer prints the proposals, and writes those that are accepted.
func (f *importFlags) offer(i invocation, root string, proposals []imports.Proposal) error {
	asker, written := newAsker(i.command, i.args, f.yes), 0
	for _, proposal := range proposals {
		printProposal(i.stdout, proposal)
		if f.print {
			plain.Println(i.stdout, plain.Block(proposal.Content))
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
			plain.Println(i.stderr, "note: nothing was found that is not a document already")
		}
		return nil
	}
	plain.Printf(i.stdout, "%s written of %s\n", plain.Count(written, "document"), plain.Count(len(proposals), "proposal"))
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
