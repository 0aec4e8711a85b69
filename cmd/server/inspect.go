package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/staleness"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/watch"
)

func newInspectCommand(flags *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "inspect FILE",
		Short: "Show how a file is cut into passages",
		Long: `Show how a markdown file is cut into passages, the units that are searched and embedded:
their lines, bytes, tokens, terms and headings; and who wrote it last, as git says. That
needs neither the database nor Ollama. A document of a project that is not valid is refused,
as compound-docs sync refuses it.`,
		Example: `  compound-docs inspect csharp-compounding-docs/problems/pool-exhausted-20260115.md`,
		Args:    needs(1, 1, "a markdown file", "compound-docs inspect README.md"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return inspectFile(newInvocation(cmd, args), flags)
		},
		ValidArgsFunction: completeMarkdown,
	}
}

// dissected is a file with its passages, as --json prints it.
type dissected struct {
	Path           string        `json:"path"`
	Title          string        `json:"title"`
	Summary        string        `json:"summary"`
	DocType        string        `json:"doc_type,omitempty"`
	Date           string        `json:"date,omitempty"`
	PromotionLevel catalog.Level `json:"promotion_level"`
	// Provenance says who wrote the file last, in which commit, and whether it is committed;
	// "" where git does not say.
	Provenance string             `json:"provenance,omitempty"`
	Bytes      int                `json:"bytes"`
	Links      []string           `json:"links"`
	Passages   []dissectedPassage `json:"passages"`
}

type dissectedPassage struct {
	StartLine  int    `json:"start_line"`
	EndLine    int    `json:"end_line"`
	HeaderPath string `json:"header_path,omitempty"`
	// FrontMatter says that the passage is made from the fields of the front matter.
	FrontMatter bool     `json:"front_matter,omitempty"`
	Bytes       int      `json:"bytes"`
	Tokens      int      `json:"estimated_tokens"`
	Heading     string   `json:"heading"`
	Text        string   `json:"text"`
	Terms       []string `json:"terms"`
}

func inspectFile(i invocation, flags *flags) error {
	options, err := flags.resolve()
	if err != nil {
		return err
	}
	file, err := dissect(i.command.Context(), i.args[0], options.settings)
	if err != nil {
		return inFlags(i.command, err)
	}
	return i.print(file, file.print)
}

// dissect cuts a file as the index of its project does, or as that of any markdown if it
// is not a document of a project.
func dissect(ctx context.Context, given string, settings project.Settings) (*dissected, error) {
	full, err := existingFile(given)
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(full)
	folder := watch.Folder{Dir: dir, Prefix: filepath.ToSlash(dir), Match: func(string) bool { return true }}
	collection, schema := catalog.External, index.Schema(nil)
	root, err := findProject(dir)
	if err == nil {
		p, err := project.Load(root, settings.ExternalDocsAllowed...)
		if err != nil {
			return nil, err
		}
		relative, err := filepath.Rel(p.Root, dir)
		if err != nil {
			return nil, err
		}
		if folder.Prefix = filepath.ToSlash(relative); strings.HasPrefix(folder.Prefix+"/", p.DocsDir()+"/") {
			collection, schema = catalog.Compounding, p
		}
	} else if !isUsage(err) {
		return nil, err
	}
	file, err := folder.Read(filepath.Base(full))
	if err != nil {
		return nil, apierror.FileError("read "+given, err)
	}
	cut, err := index.Dissect(file, collection, schema)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", given, err)
	}
	dissected := newDissected(given, len(file.Content), cut)
	if written, err := staleness.NewChecker(dir).Written(ctx, filepath.Base(full)); err == nil {
		dissected.Provenance = written[filepath.Base(full)].Provenance(file.Content)
	}
	return dissected, nil
}

// existingFile returns the path of a file without symbolic links to its folder.
func existingFile(given string) (string, error) {
	if _, err := os.Stat(given); err != nil {
		return "", usagef("%w; give a markdown file, as in `compound-docs inspect README.md`", err)
	}
	full, err := filepath.Abs(given)
	if err != nil {
		return "", err
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(full))
	return filepath.Join(dir, filepath.Base(full)), err
}

func newDissected(path string, bytes int, cut index.Dissection) *dissected {
	d := &dissected{
		Path: path, Title: cut.Title, Summary: cut.Summary, DocType: cut.DocType, Date: cut.Date, PromotionLevel: cut.Level,
		Bytes: bytes, Links: []string{}, Passages: []dissectedPassage{},
	}
	for _, link := range cut.Links {
		d.Links = append(d.Links, link.Target)
	}
	for _, p := range cut.Passages {
		d.Passages = append(d.Passages, dissectedPassage{
			StartLine: p.StartLine, EndLine: p.EndLine, HeaderPath: p.HeaderPath, FrontMatter: p.FrontMatter,
			Bytes: len(p.Text), Tokens: p.Tokens, Heading: p.Heading, Text: p.Text, Terms: p.Terms,
		})
	}
	return d
}

func (d *dissected) print(w io.Writer) {
	s := plain.StyleFor(w)
	plain.Println(w, s.Bold(d.Title))
	facts := []string{plain.Count(d.Bytes, "byte"), plain.Count(len(d.Passages), "passage"), plain.Count(len(d.Links), "link")}
	if d.DocType != "" {
		facts = append([]string{d.DocType, string(d.PromotionLevel)}, facts...)
	}
	plain.Println(w, strings.Join(facts, ", "))
	if d.Provenance != "" {
		plain.Println(w, d.Provenance)
	}
	plain.Println(w)
	plain.Table(w, func(table io.Writer) {
		plain.Printf(table, "lines\tbytes\ttokens\tterms\theadings\n")
		for _, p := range d.Passages {
			headings := cmp.Or(p.HeaderPath, "(no heading)")
			if p.FrontMatter {
				headings = "(front matter)"
			}
			plain.Printf(table, "%d-%d\t%d\t%d\t%d\t%s\n", p.StartLine, p.EndLine, p.Bytes, p.Tokens, len(p.Terms), headings)
		}
	})
}
