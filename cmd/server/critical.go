package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

const (
	// maxNamedCritical is how many documents the line names.
	maxNamedCritical = 5
	// maxCriticalTitle is the length of a title in it, in characters.
	maxCriticalTitle = 80
	// maxFrontMatter is how much of a file is read. Longer front matter is invalid.
	maxFrontMatter = 64 << 10
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
			documents, err := criticalDocuments(first(options.project, "."), options.settings.ExternalDocsAllowed)
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
func criticalDocuments(dir string, externalAllowed []string) ([]criticalDocument, error) {
	found := []criticalDocument{}
	root, err := project.FindRoot(dir)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(root, project.ConfigDir, project.ConfigFile)); err != nil {
		return found, nothingIfMissing(err)
	}
	p, err := project.Load(root, externalAllowed...)
	if err != nil {
		return nil, err
	}
	repository, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer repository.Close() //nolint:errcheck // only read
	folder, err := repository.OpenRoot(filepath.FromSlash(p.DocsDir()))
	if err != nil {
		return found, nothingIfMissing(err)
	}
	defer folder.Close() //nolint:errcheck // only read
	err = fs.WalkDir(folder.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == ".":
			return err
		case err != nil:
			return nil //nolint:nilerr // doctor reports what cannot be read
		case d.IsDir() && (name == project.SchemasFolder || name != "." && strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case !d.Type().IsRegular() || !strings.EqualFold(path.Ext(name), ".md"):
			return nil
		}
		if title, ok := criticalTitle(folder, name); ok {
			found = append(found, criticalDocument{Path: path.Join(p.DocsDir(), name), Title: title})
		}
		return nil
	})
	return found, err
}

func nothingIfMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// criticalTitle returns the title of a document, and false if that is not critical.
func criticalTitle(folder *os.Root, name string) (title string, ok bool) {
	file, err := folder.Open(filepath.FromSlash(name))
	if err != nil {
		return "", false
	}
	defer file.Close() //nolint:errcheck // only read
	head, err := io.ReadAll(io.LimitReader(file, maxFrontMatter))
	if err != nil {
		return "", false
	}
	head = frontMatter(head)
	if !bytes.Contains(head, []byte("promotion_level")) || !bytes.Contains(head, []byte(rag.Critical)) {
		return "", false // most documents, and YAML takes a while to parse
	}
	doc, err := markdown.Parse(head)
	if err != nil || doc.FrontMatter["promotion_level"] != string(rag.Critical) {
		return "", false
	}
	return markdown.CutRunes(first(doc.Title, path.Base(name)), maxCriticalTitle), true
}

// frontMatter cuts off what follows the front matter, so that it is not parsed.
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
