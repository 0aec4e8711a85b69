package index

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/said"
)

// Schema says which documents a collection may have. A nil Schema takes any markdown.
type Schema interface {
	// Rules returns the rules for the document at path, and false if no document may be there.
	Rules(path string) (project.Rules, bool)
}

// ConflictProblem says what to do about the marks that [project.ConflictLine] finds.
const ConflictProblem = "git has left the marks of a merge conflict; keep one side, and remove the marks"

// parseDocument parses a file, and refuses a template. With lenient, invalid front matter counts as text.
func parseDocument(file document.File, lenient bool) (*markdown.Document, error) {
	read := markdown.Parse
	if lenient {
		read = markdown.ParseAny
	}
	content := file.Content
	if strings.EqualFold(path.Ext(file.Path), ".mdx") {
		content = markdown.WithoutMDX(content)
	}
	parsed, err := read(content)
	if line := project.ConflictLine(file.Content); err != nil && line > 0 {
		err = &markdown.Error{Line: line, Problem: ConflictProblem}
	}
	if err != nil {
		return nil, &apierror.Error{Code: apierror.SchemaValidationFailed, Err: err}
	}
	return parsed, checkTemplate(parsed.Title)
}

// classify returns the rules of the doc-type to which a document belongs. In a strict project this is the doc-type of
// the folder, and the error says which rules the front matter breaks. In a lenient project the front matter may name
// another doc-type, and classify checks nothing.
func classify(folder project.Rules, frontMatter map[string]any) (project.Rules, error) {
	if folder.Lenient() {
		return namedType(folder, frontMatter), nil
	}
	violations := folder.Validate(frontMatter)
	if len(violations) == 0 {
		return folder, nil
	}
	lines := make([]string, len(violations))
	for i, v := range violations {
		lines[i] = fmt.Sprintf("%s %s (expected: %s)", v.Field, v.Problem, v.Expected)
	}
	e := apierror.Errorf(apierror.SchemaValidationFailed, "the front matter does not fit the doc-type %q: %s",
		folder.Name, strings.Join(lines, "; "))
	return folder, e.With("doc_type", folder.Name).With("violations", violations)
}

// namedType returns the rules of the doc-type that the front matter names in a lenient project, or the folder's rules
// if there is no such doc-type. The field is doc_type, or type in the Open Knowledge Format, as in "type: Playbook".
func namedType(folder project.Rules, frontMatter map[string]any) project.Rules {
	name, _ := frontMatter["doc_type"].(string)
	kind, _ := frontMatter["type"].(string)
	for _, name := range []string{name, strings.ToLower(strings.TrimSpace(kind))} {
		if named, ok := folder.Named(name); ok {
			return named
		}
	}
	return folder
}

// levelOf returns the promotion level in front matter. It is the standard level if the field is missing or unknown.
func levelOf(frontMatter map[string]any) catalog.Level {
	level, _ := frontMatter["promotion_level"].(string)
	if slices.Contains(catalog.Levels(), catalog.Level(level)) {
		return catalog.Level(level)
	}
	return catalog.Standard
}

// Advice returns the misspelt fields of a document. In a lenient project it also returns what a strict schema would find
// wrong with the document.
func (d Dissection) Advice(schema Schema) []project.Violation {
	docType, ok := schema.Rules(d.path)
	switch {
	case !ok:
		return nil
	case !docType.Lenient():
		return docType.Misspelt(d.FrontMatter)
	case d.NotFrontMatter != nil:
		return []project.Violation{{
			Field: "front matter", Problem: fmt.Sprintf("is read as text: %v", d.NotFrontMatter),
			Expected: "lines of key: value between two lines ---",
		}}
	}
	docType = namedType(docType, d.FrontMatter)
	return append(docType.Validate(d.FrontMatter), docType.Misspelt(d.FrontMatter)...)
}

// StringList returns the texts of a value of front matter: a text, or the texts in a list. It returns nil otherwise.
func StringList(value any) []string {
	switch value := value.(type) {
	case string:
		return []string{value}
	case []any:
		var list []string
		for _, item := range value {
			if s, ok := item.(string); ok {
				list = append(list, s)
			}
		}
		return list
	}
	return nil
}

// WithLevel returns the file's bytes with the promotion level changed or added, and the file's old level. Nothing else
// changes. The error says why the file is not a document, or would be invalid with the new level.
func (x *Indexer) WithLevel(file document.File, level catalog.Level) ([]byte, catalog.Level, error) {
	content, before, after, err := x.withField(file, "promotion_level", string(level))
	if err != nil {
		return nil, "", err
	}
	if after.Level != level {
		return nil, "", apierror.Errorf(apierror.SchemaValidationFailed, "the front matter cannot take the level %s", level)
	}
	return content, before.Level, nil
}

// WithStatus returns the file's bytes with a new status, and this status: "superseded by" and the path successor, or
// "deprecated" if successor is "". The error says why the file is not a document, or would not have the status.
func (x *Indexer) WithStatus(file document.File, successor string) (content []byte, status string, err error) {
	status = "deprecated"
	if successor != "" {
		status = "superseded by " + said.Destination(file.Path, successor)
	}
	content, _, after, err := x.withField(file, "status", status)
	if err != nil {
		return nil, "", err
	}
	isSuccessor := func(link Link) bool { return link.Relation == said.SupersededBy && link.Target == successor }
	if successor == "" && after.Status.Word != "deprecated" || successor != "" && !slices.ContainsFunc(after.Links, isSuccessor) {
		return nil, "", apierror.Errorf(apierror.SchemaValidationFailed,
			"with the line `status: %s` the document still counts as %s; correct its `draft` or `status`", status, after.Status.Word)
	}
	return content, status, nil
}

// withField sets a field of the front matter. It returns the new content, and the dissections before and after the
// change.
func (x *Indexer) withField(file document.File, field, text string) (content []byte, before, after Dissection, err error) {
	before, err = Dissect(file, x.collection, x.schema)
	if err != nil {
		return nil, before, after, err
	}
	file.Content, err = markdown.SetField(file.Content, field, text)
	if err != nil {
		return nil, before, after, &apierror.Error{Code: apierror.SchemaValidationFailed, Err: err}
	}
	after, err = Dissect(file, x.collection, x.schema)
	if err != nil {
		return nil, before, after, fmt.Errorf("with %s %s: %w", field, text, err)
	}
	return file.Content, before, after, nil
}
