package main

import (
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

// lintFlags say what lint prints, and what it counts as a failure.
type lintFlags struct {
	level, failOn, format string
}

func newLintCommand(flags *flags) *cobra.Command {
	var f lintFlags
	command := &cobra.Command{
		Use:   "lint",
		Short: "Check the documents of a project, as in CI",
		Long: `Check the project's own documents, by their files and git. It needs neither the database nor
Ollama, and changes nothing.

- errors: the configuration is not valid (config); a file cannot be read, or its front matter
  does not fit the doc-type (unreadable, schema); a link, related_docs or supersedes leads to
  no file (broken-link); documents supersede each other (supersession-cycle)
- warnings: there is no document (no-documents); a critical document is superseded
  (superseded-rule); two have nearly the same words (near-duplicate); a cited place has changed
  or gone (place-changed, place-gone); a doc-type does not know a field of a lenient project
  (front-matter)
- notices: documents on the same subject may contradict each other (contradictory); a cited
  place is elsewhere now, or was never there (place-moved, place-unknown); a document does not
  link back, or has no link at all (one-way-link, orphan)

Cited places are files_involved, code with a path, a path with lines, a definition beside a
path, and links to code. They are compared with the commit in which the document last changed
a line about that file, or its date. If the document still holds, change one of them.`,
		Example: `  compound-docs lint
  compound-docs lint --level notice --json
  compound-docs lint --format github --fail-on warning`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), newInvocation(cmd, args), flags)
		},
	}
	severities := names(lint.Severities())
	command.Flags().StringVar(&f.level, "level", string(lint.Warning), "least severity to print: "+joined(lint.Severities()))
	command.Flags().StringVar(&f.failOn, "fail-on", string(lint.Error),
		"least severity that ends with 1: "+joined(lint.Severities())+", "+never)
	command.Flags().StringVar(&f.format, "format", "plain", "how to print findings: plain, or github for annotations of a workflow")
	exclude(command, "json", "format")
	complete(command, "level", severities...)
	complete(command, "fail-on", append(severities, never)...)
	complete(command, "format", "plain", "github")
	return command
}

// linted is the report as --json prints it.
type linted struct {
	lint.Report

	// Counts are of all findings, including those that are not printed.
	Counts map[lint.Severity]int `json:"counts"`
	Failed bool                  `json:"failed"`

	root string // of the project
}

func (f *lintFlags) run(ctx context.Context, i invocation, flags *flags) error {
	for _, flag := range []struct {
		name, value string
		allowed     []string
	}{
		{"level", f.level, names(lint.Severities())},
		{"fail-on", f.failOn, append(names(lint.Severities()), never)},
		{"format", f.format, []string{"plain", "github"}},
	} {
		if !slices.Contains(flag.allowed, flag.value) {
			return usagef("--%s is %q; give one of %s", flag.name, flag.value, strings.Join(flag.allowed, ", "))
		}
	}
	options, root, err := flags.here()
	if err != nil {
		return err
	}
	report, err := lintProject(ctx, root, options)
	if err != nil {
		return err
	}
	found := f.judge(report, root)
	if err := i.print(found, func(w io.Writer) { found.print(w, f.format == "github") }); err != nil {
		return err
	}
	if found.Failed {
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

// judge counts the findings, and leaves out those below --level. Findings that make the
// command fail are always printed.
func (f *lintFlags) judge(report lint.Report, root string) linted {
	found := linted{Report: report, Counts: map[lint.Severity]int{}, root: root}
	for _, severity := range lint.Severities() {
		found.Counts[severity] = 0
	}
	fails := func(s lint.Severity) bool { return f.failOn != never && s.AtLeast(lint.Severity(f.failOn)) }
	printed := []lint.Finding{}
	for _, finding := range report.Findings {
		found.Counts[finding.Severity]++
		found.Failed = found.Failed || fails(finding.Severity)
		if fails(finding.Severity) || finding.Severity.AtLeast(lint.Severity(f.level)) {
			printed = append(printed, finding)
		}
	}
	found.Findings = printed
	return found
}

func (l linted) print(w io.Writer, annotations bool) {
	if annotations {
		l.printAnnotations(w)
		return
	}
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

// printAnnotations prints workflow commands, from which GitHub makes annotations of files.
func (l linted) printAnnotations(w io.Writer) {
	above := l.placeInWorkspace()
	for _, f := range l.Findings {
		plain.Println(w, plain.Annotation(string(f.Severity), path.Join(above, f.Path), f.Line, f.Check, f.Message))
	}
	for _, note := range l.Notes {
		plain.Println(w, plain.Annotation(string(lint.Notice), "", 0, "", note))
	}
	plain.Println(w, l.summary())
}

// placeInWorkspace returns the path of the project in the workflow's checkout, to which the
// paths of GitHub's annotations are relative.
func (l linted) placeInWorkspace() string {
	workspace, err := filepath.EvalSymlinks(os.Getenv("GITHUB_WORKSPACE"))
	if err != nil {
		return ""
	}
	place, err := filepath.Rel(workspace, l.root)
	if err != nil || !filepath.IsLocal(place) {
		return ""
	}
	return filepath.ToSlash(place)
}
