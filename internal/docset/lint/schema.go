package lint

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// checkSchemas finds documents that the index refuses, and front matter that a lenient project ignores.
func (e *examination) checkSchemas() {
	for _, d := range e.set.Documents {
		if errors.Is(d.Err, document.ErrLeftOut) {
			e.add(d, 1, Notice, "left-out", d.Err.Error())
			continue
		}
		e.checkForm(d)
		if d.Err == nil {
			if !utf8.Valid(d.Content) {
				e.add(d, 1, Warning, "encoding",
					"is not UTF-8: words with other letters than a to z are not found; save it with the encoding UTF-8")
			}
			e.checkAdvice(d)
			continue
		}
		refused, ok := errors.AsType[*apierror.Error](d.Err)
		if !ok {
			e.add(d, 1, Error, "unreadable", apierror.FileError(d.Err).Error())
			continue
		}
		violations, ok := refused.Details["violations"].([]project.Violation)
		if !ok {
			line, message := 1, refused.Err.Error()
			if syntax, ok := errors.AsType[*markdown.Error](d.Err); ok {
				line, message = syntax.Line, syntax.Problem
			}
			e.add(d, line, Error, "schema", message)
			continue
		}
		for _, v := range violations {
			e.add(d, d.LineOfField(v.Field), Error, "schema", fmt.Sprintf("%s %s (expected: %s)", v.Field, v.Problem, v.Expected))
		}
	}
}

// checkForm finds conflict marks of git, secrets, and front matter with a doubtful meaning.
func (e *examination) checkForm(d *docset.Document) {
	if line := project.ConflictLine(d.Content); line > 0 && d.Err == nil {
		e.add(d, line, Error, "conflict", index.ConflictProblem)
	}
	for _, secret := range markdown.Secrets(d.Content) {
		e.add(d, secret.Line, Error, "secret", "it holds "+secret.Problem+", which answers mask; replace it where it is used, "+
			"because git's history has it too, and write here where to get it")
	}
	for _, note := range d.Notes {
		e.add(d, cmp.Or(note.Line, d.LineOfField("date")), Warning, "front-matter", note.Problem)
	}
}

// checkAdvice finds mistakes in front matter that do not keep the document out of the index: misspelt fields, and in a
// lenient project what a strict project would refuse. Most findings are warnings. In documents of the profile
// compound-engineering, missing fields are findings too, and all findings are notices, because older documents may use
// other words.
func (e *examination) checkAdvice(d *docset.Document) {
	for _, v := range d.Advice(e.project) {
		severity := Warning
		switch {
		case d.NotFrontMatter != nil && hasFields.Match(d.Content):
			severity = Error
		case e.project.Profiled(d.FrontMatter):
			severity = Notice
		case strings.HasPrefix(v.Problem, "is missing"):
			continue
		}
		e.add(d, d.LineOfField(v.Field), severity, "front-matter", fmt.Sprintf("%s %s (expected: %s)", v.Field, v.Problem, v.Expected))
	}
}

// hasFields matches --- or +++ with a field in the next line. Without a field, --- may be a horizontal rule.
var hasFields = regexp.MustCompile(`^(?:---|\+\+\+)[ \t]*\r?\n["']?[\pL_][\pL\pN_. -]*["']?\s*[:=]`)
