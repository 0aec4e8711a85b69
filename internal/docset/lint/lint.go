// Package lint finds faults in a project's documents. It reads the files and asks git. It changes nothing, and must not
// know the database, models or MCP.
package lint

import (
	"cmp"
	"context"
	"slices"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/history"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// Severity grades a finding.
type Severity string

// The severities, the worst first.
const (
	Error   Severity = "error"   // must be corrected, such as a broken link or a document that cannot be indexed
	Warning Severity = "warning" // an answer from the document may be wrong
	Notice  Severity = "notice"  // the finding may be intended
)

// Severities returns all severities, the worst first.
func Severities() []Severity { return []Severity{Error, Warning, Notice} }

// AtLeast reports whether s is at least as bad as the severity other.
func (s Severity) AtLeast(other Severity) bool {
	return slices.Index(Severities(), s) <= slices.Index(Severities(), other)
}

// Finding is one fault.
type Finding struct {
	Path     string   `json:"path"` // relative to the repository
	Line     int      `json:"line"` // 1-based
	Severity Severity `json:"severity"`
	Check    string   `json:"check"` // such as broken-link
	Message  string   `json:"message"`
}

// Report is the result of a run.
type Report struct {
	Documents int       `json:"documents"`
	Findings  []Finding `json:"findings"` // sorted by path, line and check
	Notes     []string  `json:"notes"`    // checks that were not possible, with the reason
}

// examination is one run of all checks. It has the documents, and collects the findings.
type examination struct {
	project   *project.Project
	set       *docset.Set
	standings catalog.Standings
	report    Report
}

func (e *examination) add(d *docset.Document, line int, severity Severity, check, message string) {
	e.report.Findings = append(e.report.Findings,
		Finding{Path: d.Path, Line: line, Severity: severity, Check: check, Message: message})
}

// Run checks the documents of a project. It fails only if ctx ends.
func Run(ctx context.Context, p *project.Project, set *docset.Set) (Report, error) {
	e := &examination{
		project: p, set: set, standings: set.Standings(),
		report: Report{Documents: len(set.Documents), Findings: []Finding{}, Notes: []string{}},
	}
	if len(set.Documents) == 0 {
		e.report.Findings = append(e.report.Findings, nothingToCheck(p))
	}
	e.checkSchemas()
	e.checkLinks()
	e.checkAnchors()
	e.checkStandings()
	e.checkNumbers()
	files, _ := history.Tracked(ctx, p.Root) // without git there are no files to check
	e.checkTriggers(files)
	e.checkIgnored(files)
	err := e.checkPlaces(ctx)
	if err != nil {
		return Report{}, err
	}
	slices.SortFunc(e.report.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Check, b.Check),
			cmp.Compare(a.Message, b.Message))
	})
	e.report.Findings = slices.Compact(e.report.Findings) // a line may cite one place twice
	return e.report, nil
}

// nothingToCheck returns a warning about a project without documents. Otherwise such a project would always pass.
func nothingToCheck(p *project.Project) Finding {
	message := "nothing was checked: there is no document here"
	if external, ok := p.External(); ok {
		message += "; the external docs (" + external.Path + ") are not checked: if documents of your own are among them, " +
			"name their folder in documents.folder"
	}
	return Finding{Path: p.DocsDir(), Line: 1, Severity: Warning, Check: "no-documents", Message: message}
}
