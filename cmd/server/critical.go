package main

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

const (
	// maxNamedCritical bounds the documents that the line names.
	maxNamedCritical = 5
	// maxCriticalTitle is the length of a title in it, in characters.
	maxCriticalTitle = 80
)

func newCriticalCommand(flags *flags) *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "critical",
		Short: "Name the critical documents in one line",
		Long: `Name the critical documents of the project in one line, and print nothing if there are
none. It reads the front matter of the files, and needs neither database nor Ollama. The
plugin for Claude Code runs it when a session starts, so that the assistant knows which
rules there are.`,
		Example: "  compound-docs critical\n  compound-docs critical --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			options, err := flags.resolve()
			if err != nil {
				return err
			}
			documents, err := criticalDocuments(cmd.Context(), options.project, options.settings.ExternalDocsAllowed)
			switch {
			case err != nil:
				return err
			case asJSON:
				return printJSON(cmd.OutOrStdout(), map[string]any{"documents": documents})
			case len(documents) > 0:
				_, err = fmt.Fprintln(cmd.OutOrStdout(), criticalLine(documents))
			}
			return err
		},
	}
	addJSON(command, &asJSON)
	return command
}

type criticalDocument struct {
	Path  string `json:"path"`
	Title string `json:"title"`
}

// criticalDocuments returns the critical documents of the repository that a folder belongs
// to, by their paths, and none if it is not a project. It passes over what the server would
// not index.
func criticalDocuments(ctx context.Context, dir string, externalAllowed []string) ([]criticalDocument, error) {
	found := []criticalDocument{}
	root, err := findProject(dir)
	if isUsage(err) {
		return found, nil
	}
	if err != nil {
		return nil, err
	}
	p, err := project.Load(root, externalAllowed...)
	if err != nil {
		return nil, err
	}
	own := workspace.Folders(p)[0]
	err = own.ReadAll(ctx, func(file document.File, err error) {
		if err != nil {
			return // doctor says what cannot be read
		}
		if title, ok := criticalTitle(file); ok {
			found = append(found, criticalDocument{Path: file.Path, Title: title})
		}
	})
	return found, err
}

// criticalTitle returns the title of a document, and false if that is not critical.
func criticalTitle(file document.File) (title string, ok bool) {
	head := frontMatter(file.Content)
	if !bytes.Contains(head, []byte("promotion_level")) || !bytes.Contains(head, []byte(rag.Critical)) {
		return "", false // most documents, and YAML takes a while to parse
	}
	doc, err := markdown.Parse(file.Content)
	if err != nil || doc.FrontMatter["promotion_level"] != string(rag.Critical) {
		return "", false
	}
	return markdown.CutRunes(first(doc.Title, path.Base(file.Path)), maxCriticalTitle), true
}

// frontMatter returns what stands before the text of a document, with both delimiters.
func frontMatter(file []byte) []byte {
	end := frontMatterEnd.FindIndex(file)
	if end == nil {
		return nil
	}
	return file[:end[1]]
}

// frontMatterEnd is the second delimiter: the first one begins the file.
var frontMatterEnd = regexp.MustCompile(`\n(---|\.\.\.)[ \t]*\r?(\n|$)`)

// criticalLine names the documents. Titles come from a repository that may be hostile:
// they are quoted, and so can hold no line break.
func criticalLine(documents []criticalDocument) string {
	var named []string
	for _, d := range documents[:min(len(documents), maxNamedCritical)] {
		named = append(named, fmt.Sprintf("%q (%s)", d.Title, d.Path))
	}
	line := fmt.Sprintf("This project has %s, with rules that must not be broken: %s",
		count(len(documents), "critical document"), strings.Join(named, "; "))
	if more := len(documents) - maxNamedCritical; more > 0 {
		line += fmt.Sprintf("; and %d more", more)
	}
	return line + ". Read those that bear on a task before you change anything."
}
