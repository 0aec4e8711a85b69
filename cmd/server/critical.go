package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

const (
	// maxNamedCritical is how many documents criticalLine names. It counts the rest.
	maxNamedCritical = 5
	// maxCriticalTitle and maxCriticalPath limit each title and each path in that line, in characters.
	maxCriticalTitle, maxCriticalPath = 80, 200
	// criticalTime limits the search for critical documents, because the start of a session waits for the result.
	criticalTime = 900 * time.Millisecond
)

func newCriticalCommand(flags *flags) *cobra.Command {
	return &cobra.Command{
		Use:    "critical",
		Hidden: true, // hooks call it
		Short:  "Name the critical documents in one line",
		Long: `Name the first five critical documents of the project in one line and count the others, or
print nothing. It leaves out documents that are not valid or that no longer hold. It needs neither database nor Ollama. After
0.9 seconds it prints the documents found so far. Claude Code's plugin runs it when a session starts.`,
		Example: "  compound-docs critical",
		RunE:    flags.run(invocation.critical),
	}
}

func (i invocation) critical() error {
	documents, incomplete, err := i.criticalDocuments()
	if err != nil {
		return err
	}
	if incomplete {
		plain.Printf(i.stderr, "the list may be incomplete: not all documents could be read in %s\n", criticalTime)
	}
	return i.print(map[string]any{"documents": documents, "incomplete": incomplete}, func(w io.Writer) {
		if len(documents) > 0 {
			plain.Println(w, plain.Hook(criticalLine(documents)))
		}
	})
}

type criticalDocument struct {
	Path  string `json:"path"`
	Title string `json:"title"`
	Date  string `json:"date,omitempty"`
	// Status names another document that a reader also needs, such as "amended by ./b.md", or is "".
	Status string `json:"status,omitempty"`
}

// criticalDocuments returns the project's critical documents, sorted by path, without those that are replaced, rejected
// or expired. Outside a project the list is empty. incomplete reports whether criticalTime was too short for all files.
func (i invocation) criticalDocuments() (documents []criticalDocument, incomplete bool, err error) {
	ctx, cancel := context.WithTimeoutCause(i.command.Context(), criticalTime, errCriticalTime)
	defer cancel()
	documents = []criticalDocument{}
	p, err := i.loadHere()
	if errors.Is(err, errNoProject) {
		return documents, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	set, err := docset.ReadOnly(ctx, p, mayBeCritical)
	incomplete = errors.Is(err, errCriticalTime)
	if err != nil && !incomplete && !errors.Is(err, fs.ErrNotExist) {
		return nil, false, err
	}
	standings := set.Standings()
	today := catalog.Today()
	for _, d := range set.Documents {
		if standing := standings.Of(d.Path, today); d.Level == catalog.Critical && standing.Holds() {
			documents = append(documents, criticalDocument{d.Path, markdown.CutRunes(d.Title, maxCriticalTitle), d.Date, standing.Mark()})
		}
	}
	return documents, incomplete, nil
}

var errCriticalTime = errors.New("it took too long")

// mayBeCritical reports whether a file must be parsed: its front matter contains "critical", or it may replace or
// amend a critical document. To parse all files would take too long.
func mayBeCritical(file []byte) bool {
	if replacesAnother.Match(file) {
		return true
	}
	end := frontMatterEnd.FindIndex(file)
	return end != nil && bytes.Contains(file[:end[1]], []byte(catalog.Critical))
}

// replacesAnother matches a word that comes before the name of a replaced or amended document, such as "supersedes".
var replacesAnother = regexp.MustCompile(`(?i)\b(?:super[sc]edes|replaces|obsoletes|amends|clarifies|updates|extends)\b`)

// frontMatterEnd matches the delimiter that ends the front matter. It does not match the delimiter at the beginning of
// the file, because no line break comes before it.
var frontMatterEnd = regexp.MustCompile(`\n(---|\.\.\.)[ \t]*\r?(\n|$)`)

// criticalLine returns the line that names the documents to an assistant. It quotes titles, because a title may be text
// that an attacker wrote for the assistant.
func criticalLine(documents []criticalDocument) string {
	var named []string
	for _, d := range documents[:min(len(documents), maxNamedCritical)] {
		source := markdown.CutRunes(plain.Path(d.Path), maxCriticalPath)
		if d.Date != "" {
			source += ", " + d.Date
		}
		if d.Status != "" {
			source += ", " + markdown.CutRunes(plain.Path(d.Status), maxCriticalPath)
		}
		named = append(named, fmt.Sprintf("%q (%s)", d.Title, source))
	}
	line := fmt.Sprintf("This project keeps rules of its own, which weigh as much as its CLAUDE.md and no more, in %s: %s",
		plain.Count(len(documents), "critical document"), strings.Join(named, "; "))
	if more := len(documents) - maxNamedCritical; more > 0 {
		line += fmt.Sprintf("; and %d more", more)
	}
	return line + ". Read those that bear on a task before you change anything."
}
