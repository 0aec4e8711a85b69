package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/lint"
	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/project"
)

// never is the value of --fail-on with which no finding makes the command fail.
const never = "never"

type lintFlags struct {
	level, failOn, format string
}

func newLintCommand(flags *flags) *cobra.Command {
	var f lintFlags
	command := &cobra.Command{
		Use:   "lint",
		Short: "Check the documents of a project, as in CI",
		Long: `Check the project's own documents, by their files and git: neither the database nor Ollama
is needed, nothing is started, and nothing is changed.

- errors: the configuration is not valid (config); a file cannot be read, or its front matter
  does not fit the doc-type (unreadable, schema); a link, related_docs or supersedes leads to
  no file (broken-link); documents supersede each other (supersession-cycle)
- warnings: there is no document (no-documents); a critical document is superseded
  (superseded-rule); two have nearly the same words (near-duplicate); what a document cites
  has changed or gone since (place-changed, place-gone); a doc-type does not know a field of a
  lenient project (front-matter)
- notices: documents on the same subject may contradict each other (contradictory); what a
  document cites is elsewhere now, or was never there (place-moved, place-unknown); a document
  does not link back, or has no link at all (one-way-link, orphan)

A document cites places of the repository: files_involved, code with a path, a path with lines
such as db/pool.go:40, a definition beside a path, links to code. They are compared with what
they were in the commit in which the document last changed a line about that file, or its
date; other edits confirm nothing. If it still holds, change the line or the date.

It ends with 0 if nothing is as bad as --fail-on says, with 1 if something is, and with 2
if there is no project to check.`,
		Example: `  compound-docs lint
  compound-docs lint --level notice --json
  compound-docs lint --format github --fail-on warning`,
		RunE: flags.run(f.run),
	}
	severities := names(lint.Severities())
	command.Flags().StringVar(&f.level, "level", string(lint.Warning), "minimum severity to print: "+joined(lint.Severities()))
	command.Flags().StringVar(&f.failOn, "fail-on", string(lint.Error),
		"minimum severity that ends with 1: "+joined(lint.Severities())+", "+never)
	command.Flags().StringVar(&f.format, "format", "plain", "how to print findings: plain, or github for annotations of a workflow")
	exclude(command, "json", "format")
	complete(command, "level", severities...)
	complete(command, "fail-on", append(severities, never)...)
	complete(command, "format", lintFormats()...)
	return command
}

func lintFormats() []string { return []string{"plain", "github"} }

// linted is the report as --json prints it.
type linted struct {
	lint.Report

	// Counts are of all findings, including those that are not printed.
	Counts map[lint.Severity]int `json:"counts"`
	Failed bool                  `json:"failed"`

	root string // of the project
}

func (f *lintFlags) run(i invocation) error {
	severities := names(lint.Severities())
	if err := cmp.Or(checkFlag("level", f.level, severities), checkFlag("fail-on", f.failOn, append(severities, never)),
		checkFlag("format", f.format, lintFormats())); err != nil {
		return err
	}
	options, root, err := i.flags.here()
	if err != nil {
		return err
	}
	report, err := lintProject(i.command.Context(), root, options)
	if err != nil {
		return err
	}
	judged := f.judge(report, root)
	if err := i.print(judged, func(w io.Writer) { judged.print(w, f.format == "github") }); err != nil {
		return err
	}
	if judged.Failed {
		return errFound
	}
	return nil
}

func lintProject(ctx context.Context, root string, o options) (lint.Report, error) {
	p, err := project.Load(root, o.settings.ExternalDocsAllowed...)
	if err != nil {
		if report, ok := lint.OfConfig(root, err); ok {
			return report, nil
		}
		return lint.Report{}, err
	}
	return lint.Run(ctx, p)
}

// judge counts the findings, and leaves out those below --level that do not fail the command.
func (f *lintFlags) judge(report lint.Report, root string) linted {
	judged := linted{Report: report, Counts: map[lint.Severity]int{}, root: root}
	for _, severity := range lint.Severities() {
		judged.Counts[severity] = 0
	}
	fails := func(s lint.Severity) bool { return f.failOn != never && s.AtLeast(lint.Severity(f.failOn)) }
	printed := []lint.Finding{}
	for _, finding := range report.Findings {
		judged.Counts[finding.Severity]++
		judged.Failed = judged.Failed || fails(finding.Severity)
		if fails(finding.Severity) || finding.Severity.AtLeast(lint.Severity(f.level)) {
			printed = append(printed, finding)
		}
	}
	judged.Findings = printed
	return judged
}

func (l linted) print(w io.Writer, annotations bool) {
	s, above := plain.StyleFor(w), l.pathInWorkspace()
	for _, f := range l.Findings {
		severity := plain.Marked(f.Severity)
		if f.Severity != lint.Notice {
			severity = s.Yellow(string(f.Severity))
		}
		if annotations {
			plain.Println(w, plain.Annotation(string(f.Severity), path.Join(above, f.Path), f.Line, f.Check, f.Message))
		} else {
			plain.Printf(w, "%s:%d: %s: %s %s\n", plain.Path(f.Path), f.Line, severity, f.Message, s.Dim("("+f.Check+")"))
		}
	}
	for _, note := range l.Notes {
		if annotations {
			plain.Println(w, plain.Annotation(string(lint.Notice), "", 0, "", note))
		} else {
			plain.Println(w, s.Dim("note: "+note))
		}
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

// pathInWorkspace returns the path of the project in the workflow's checkout, which annotations
// need.
func (l linted) pathInWorkspace() string {
	workspace, err := filepath.EvalSymlinks(os.Getenv("GITHUB_WORKSPACE"))
	if err != nil {
		return ""
	}
	relative, err := filepath.Rel(workspace, l.root)
	if err != nil || !filepath.IsLocal(relative) {
		return ""
	}
	return filepath.ToSlash(relative)
}
