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
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/index"
)

// never is the value of --fail-on with which findings are no failure.
const never = "never"

// lintFlags say what lint prints, and what it counts as a failure.
type lintFlags struct {
	level, failOn, format string
	json                  bool
}

func newLintCommand(flags *flags) *cobra.Command {
	var f lintFlags
	command := &cobra.Command{
		Use:   "lint",
		Short: "Check the documents of a project, as in CI",
		Long: `Check the project's own documents, by their files and git: neither the database nor Ollama
is needed, nothing is started, and nothing is changed. Where a database that runs has the
project's index, documents are compared by their vectors too.

- config (error): the configuration is not valid
- schema (error): front matter does not fit the doc-type, so that the document is not indexed
- unreadable (error): a file cannot be read
- broken-link (error): a link, related_docs or supersedes leads to no file
- broken-anchor (warning): a link leads to a heading that its document does not have
- near-duplicate (warning): a document has nearly the words of one that it does not supersede,
  or by its vectors says nearly the same in others
- files-gone (warning): files_involved that were removed or moved, as git says
- files-changed (warning): files_involved that were changed after the document's date
- front-matter (warning; notice for a missing field): in a lenient project, what the doc-type
  does not know
- files-unknown (notice): files_involved that are not there, and of which git knows nothing
- one-way-link (notice): a document does not link back
- orphan (notice): no document links to it, and it links to none

A document whose files are gone or were changed may say what is no longer so. If it still
holds, renew its date.

It ends with 0 if nothing is as bad as --fail-on says, with 1 if something is, and with 2
if there is no project to check.`,
		Example: `  compound-docs lint
  compound-docs lint --level notice --json
  compound-docs lint --format github --fail-on warning`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, flags) },
	}
	severities := names(lint.Severities())
	command.Flags().StringVar(&f.level, "level", string(lint.Warning), "print what is so bad, or worse: "+joined(lint.Severities()))
	command.Flags().StringVar(&f.failOn, "fail-on", string(lint.Error),
		"end with 1 if there is something so bad, or worse: "+joined(lint.Severities())+", "+never)
	command.Flags().StringVar(&f.format, "format", "plain", "how to print findings: plain, or github for annotations of a workflow")
	addJSON(command, &f.json)
	complete(command, "level", severities...)
	complete(command, "fail-on", append(severities, never)...)
	complete(command, "format", "plain", "github")
	return command
}

// linted is the report as --json prints it.
type linted struct {
	lint.Report

	// Counts are of all findings, those that are not printed among them.
	Counts map[lint.Severity]int `json:"counts"`
	Failed bool                  `json:"failed"`

	root string // of the project
}

func (f *lintFlags) run(command *cobra.Command, flags *flags) error {
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
	if f.json {
		if err := exclusive(command, "json", "format"); err != nil {
			return err
		}
	}
	options, root, err := flags.here()
	if err != nil {
		return err
	}
	report, err := lintProject(command.Context(), root, options)
	if err != nil {
		return err
	}
	found := f.judge(report, root)
	switch stdout := command.OutOrStdout(); {
	case f.json:
		err = printJSON(stdout, found)
	case f.format == "github":
		found.printAnnotations(stdout)
	default:
		found.print(stdout)
	}
	if err == nil && found.Failed {
		err = severityError{exitFailed}
	}
	return err
}

func lintProject(ctx context.Context, root string, o options) (lint.Report, error) {
	p, err := project.Load(root, o.settings.ExternalDocsAllowed...)
	if err != nil {
		if report, ok := lint.OfConfig(root, err); ok {
			return report, nil
		}
		return lint.Report{}, err
	}
	return lint.Run(ctx, p, func(ctx context.Context) (map[string]index.Mean, error) { return indexedMeans(ctx, p, o) })
}

// judge counts the findings and leaves out those that are not to be printed. What makes
// the command fail is printed always.
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

func (l linted) print(w io.Writer) {
	s := styleFor(w)
	for _, f := range l.Findings {
		severity := string(f.Severity)
		if f.Severity != lint.Notice {
			severity = s.yellow(severity)
		}
		fmt.Fprintf(w, "%s:%d: %s: %s %s\n", f.Path, f.Line, severity, f.Message, s.dim("("+f.Check+")"))
	}
	for _, note := range l.Notes {
		fmt.Fprintln(w, s.dim("note: "+note))
	}
	if l.NoVectors != "" {
		fmt.Fprintln(w, s.dim("note: "+l.NoVectors))
	}
	fmt.Fprintln(w, l.summary())
}

func (l linted) summary() string {
	counts := make([]string, 0, len(lint.Severities()))
	for _, severity := range lint.Severities() {
		counts = append(counts, count(l.Counts[severity], string(severity)))
	}
	text := fmt.Sprintf("%s: %s", count(l.Documents, "document"), strings.Join(counts, ", "))
	if hidden := l.Counts[lint.Notice]; hidden > 0 && !slices.ContainsFunc(l.Findings, func(f lint.Finding) bool {
		return f.Severity == lint.Notice
	}) {
		text += " (shown with --level notice)"
	}
	return text
}

// printAnnotations prints workflow commands, from which GitHub makes annotations of files.
func (l linted) printAnnotations(w io.Writer) {
	message := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	above := l.placeInWorkspace()
	for _, f := range l.Findings {
		fmt.Fprintf(w, "::%s file=%s,line=%d,title=%s::%s\n",
			f.Severity, property.Replace(path.Join(above, f.Path)), f.Line, property.Replace(f.Check), message.Replace(f.Message))
	}
	for _, note := range l.Notes {
		fmt.Fprintf(w, "::notice::%s\n", message.Replace(note))
	}
	fmt.Fprintln(w, l.summary())
}

// placeInWorkspace returns where the project is in the checkout of the workflow: GitHub
// takes files to be relative to that.
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
