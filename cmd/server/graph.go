package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/linkgraph"
	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/project"
)

// graphFlags say what graph draws, how, and where to.
type graphFlags struct {
	format, output, around string
	depth                  int
}

// graphFormats are the values of --format.
func graphFormats() []string { return []string{"dot", "mermaid", "html"} }

func newGraphCommand(flags *flags) *cobra.Command {
	var f graphFlags
	command := &cobra.Command{
		Use:   "graph",
		Short: "Draw the links between documents",
		Long: `Draw the project's own documents and the links between them, from the files alone: neither
the database nor Ollama is needed.

- dot: for Graphviz
- mermaid: for a block in markdown, which GitHub shows
- html: one page for a browser, which needs no other file and no network; its links to the
  documents are relative to the file of --output, else to the working directory

Doc-types have colours of their own, and promoted documents are larger. What links in a
circle is red, and documents without links have a dashed outline. An arrow with two heads
stands for links in both directions, and a dashed one for supersedes. Documents that are
not valid are left out, as in the index; compound-docs lint names them.`,
		Example: `  compound-docs graph --output knowledge.html
  compound-docs graph --format mermaid --around problems/pool-exhausted-20260115.md --depth 1
  compound-docs graph --format dot | dot -Tsvg -o knowledge.svg`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(newInvocation(cmd, args), flags) },
	}
	set := command.Flags()
	set.StringVar(&f.format, "format", "", "dot, mermaid or html (default: what the name of --output says, else dot)")
	set.StringVarP(&f.output, "output", "o", "", "write to this file, such as knowledge.html (default: stdout)")
	set.StringVar(&f.around, "around", "", "draw only this document and those near it")
	set.IntVar(&f.depth, "depth", 2, "with --around, how many links away a document may be")
	complete(command, "format", graphFormats()...)
	exclude(command, "json", "format", "output")
	return command
}

func (f *graphFlags) run(i invocation, flags *flags) error {
	format, err := f.chosenFormat()
	if err != nil {
		return err
	}
	switch {
	case i.command.Flags().Changed("depth") && f.around == "":
		return usagef("--depth is of a neighbourhood; give --around too")
	case f.depth < 0:
		return usagef("--depth is %d; give a number from 0", f.depth)
	}
	p, err := flags.loadHere()
	if err != nil {
		return err
	}
	set, err := docset.Read(i.command.Context(), p)
	if err != nil {
		return err
	}
	drawn, err := f.graphOf(set, p)
	if err != nil {
		return err
	}
	if i.json {
		return plain.JSON(i.stdout, drawn)
	}
	return f.write(i.stdout, func(w io.Writer) error {
		switch format {
		case "html":
			repository, err := relativeTo(filepath.Dir(f.output), p.Root)
			if err != nil {
				return err
			}
			return drawn.HTML(w, p.Config.ProjectName, repository)
		case "mermaid":
			return drawn.Mermaid(w)
		default:
			return drawn.DOT(w)
		}
	})
}

// relativeTo returns the path of a folder relative to another one, with slashes. "" is the
// working directory.
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

// chosenFormat returns the format that --format names, or else that of the output file's
// extension.
func (f *graphFlags) chosenFormat() (string, error) {
	switch {
	case slices.Contains(graphFormats(), f.format):
		return f.format, nil
	case f.format != "":
		return "", usagef("--format is %q; give one of %s", f.format, strings.Join(graphFormats(), ", "))
	}
	switch strings.ToLower(filepath.Ext(f.output)) {
	case ".html", ".htm":
		return "html", nil
	case ".mmd", ".mermaid":
		return "mermaid", nil
	case "", ".dot", ".gv":
		return "dot", nil
	default:
		return "", usagef("graph writes no %s; name a .html, .mmd or .dot file, or draw it with Graphviz, as in: "+
			"compound-docs graph --format dot | dot -Tpdf -o knowledge.pdf", f.output)
	}
}

func (f *graphFlags) graphOf(set *docset.Set, p *project.Project) (*linkgraph.Graph, error) {
	whole, err := linkgraph.New(set)
	if err != nil || f.around == "" {
		return whole, err
	}
	for _, name := range placesOf(f.around, p) {
		if near, ok := whole.Near(name, f.depth); ok {
			return near, nil
		}
		if d := set.Find(name); d != nil {
			return nil, usagef("%s is not in the graph: %w", name, d.Err)
		}
	}
	return nil, usagef("there is no document %q; give its path, such as ./%s/problems/example.md", f.around, p.DocsDir())
}

// placesOf returns the paths in the repository that a path may mean: relative to the working
// directory, to the repository or to the folder of the documents.
func placesOf(given string, p *project.Project) []string {
	var names []string
	if full, err := existingFile(given); err == nil {
		if relative, err := filepath.Rel(p.Root, full); err == nil {
			names = append(names, filepath.ToSlash(relative))
		}
	}
	clean := path.Clean(filepath.ToSlash(given))
	return append(names, clean, path.Join(p.DocsDir(), clean))
}

// write writes to the file of --output, or to stdout, as also for "-".
func (f *graphFlags) write(stdout io.Writer, draw func(io.Writer) error) (err error) {
	if f.output == "" || f.output == "-" {
		return draw(stdout)
	}
	file, err := os.Create(f.output)
	if err != nil {
		return usageError{fmt.Errorf("write the picture: %w", err)}
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return draw(file)
}
