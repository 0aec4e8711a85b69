package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/docset/lint"
	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/tools"
)

// never is the value of --fail-on with which no finding makes the command fail.
const never = "never"

type lintFlags struct {
	level, failOn string
}

func newLintCommand(flags *flags) *cobra.Command {
	var f lintFlags
	command := &cobra.Command{
		Use:   "lint",
		Short: "Check the documents of a project, as in CI",
		Long: `Check the project's own documents, by their files and git. It needs neither the database nor
Ollama, and changes nothing.

- errors: a file cannot be read, or its front matter cannot be read or does not fit the
  doc-type (unreadable, schema, front-matter); marks of a merge are left (conflict); a link,
  related_docs or supersedes leads to no file (broken-link); documents supersede each other
  (supersession-cycle); decisions of a folder have one number (ambiguous-number); a document
  holds a key, a token or a password (secret); a trigger cannot be read (trigger)
- warnings: there is no document (no-documents); a critical document no longer holds
  (superseded-rule); a superseded document has no successor (no-successor); a cited place has
  changed or gone (place-changed, place-gone), or its file was moved (place-moved); a picture
  or a heading of a link, or a page of a wikilink, is missing (broken-link); a value needs
  quotes, a second block of front matter is text, a date may be one of two days, or a doc-type
  does not know a field of a lenient project (front-matter); a trigger cannot match, is a
  program alone, or fires on a command of the project itself (trigger); a pattern of paths is
  like no file (dead-pattern); a file is not UTF-8 (encoding); git tracks documents that a
  .gitignore names (left-out)
- notices: a superseded document does not say so (unmarked, with the line to add); two documents
  replace one (two-successors); a status has no known word (unknown-status); cited lines are
  elsewhere now, or were never there (place-moved, place-unknown); a document has no link at all
  (orphan); a file is a template, and no document (left-out)

Cited places are files_involved, code with a path, a path with lines, a definition beside a
path, and links to code. They are compared with the commit in which the document last changed
a line about that file, or its date.`,
		Example: `  compound-docs lint
  compound-docs lint --level notice --json
  compound-docs lint --fail-on warning`,
		RunE: flags.run(f.run),
	}
	command.Flags().StringVar(&f.level, "level", string(lint.Warning), "minimum severity to print: "+joined(lint.Severities()))
	command.Flags().StringVar(&f.failOn, "fail-on", string(lint.Error),
		"minimum severity that ends with 1: "+joined(lint.Severities())+", "+never)
	return command
}

// linted is the report as --json prints it.
type linted struct {
	lint.Report

	// Counts has the number of all findings by severity, even of those that are not printed.
	Counts map[lint.Severity]int `json:"counts"`
	Failed bool                  `json:"failed"`
}

func (f *lintFlags) run(i invocation) error {
	severities := tools.Names(lint.Severities())
	err := cmp.Or(checkFlag("level", f.level, severities), checkFlag("fail-on", f.failOn, append(severities, never)))
	if err != nil {
		return err
	}
	p, err := i.loadHere()
	if err != nil {
		return err
	}
	set, err := docset.Read(i.command.Context(), p)
	if err != nil {
		return err
	}
	report, err := lint.Run(i.command.Context(), p, set)
	if err != nil {
		return err
	}
	judged := f.judge(report)
	if err := i.print(judged, judged.print); err != nil {
		return err
	}
	if judged.Failed {
		return errFound
	}
	return nil
}

// judge counts all findings, and keeps the findings that have at least --level or make the command fail.
func (f *lintFlags) judge(report lint.Report) linted {
	judged := linted{Report: report, Counts: map[lint.Severity]int{}}
	for _, severity := range lint.Severities() {
		judged.Counts[severity] = 0
	}
	fails := func(s lint.Severity) bool { return f.failOn != never && s.AtLeast(lint.Severity(f.failOn)) }
	judged.Findings = []lint.Finding{}
	for _, finding := range report.Findings {
		judged.Counts[finding.Severity]++
		judged.Failed = judged.Failed || fails(finding.Severity)
		if fails(finding.Severity) || finding.Severity.AtLeast(lint.Severity(f.level)) {
			judged.Findings = append(judged.Findings, finding)
		}
	}
	return judged
}

func (l linted) print(w io.Writer) {
	s := plain.StyleFor(w)
	for _, f := range l.Findings {
		severity := plain.Marked(f.Severity)
		if f.Severity != lint.Notice {
			severity = s.Yellow(string(f.Severity))
		}
		plain.Printf(w, "%s:%d: %s: %s %s\n", plain.Path(f.Path), f.Line, severity, f.Message, s.Dim("("+f.Check+")"))
	}
	for _, note := range l.Notes {
		plain.Println(w, s.Dim("note: "+note))
	}
	plain.Println(w, l.summary())
}

func (l linted) summary() string {
	counts := make([]string, 0, len(lint.Severities()))
	for _, severity := range lint.Severities() {
		counts = append(counts, plain.Count(l.Counts[severity], string(severity)))
	}
	text := fmt.Sprintf("%s: %s", plain.Count(l.Documents, "document"), strings.Join(counts, ", "))
	if hidden := l.Counts[lint.Notice]; hidden > 0 && !slices.ContainsFunc(l.Findings, func(f lint.Finding) bool {
		return f.Severity == lint.Notice
	}) {
		text += " (shown with --level notice)"
	}
	return text
}
