package project

import "github.com/compound-docs/compound-docs/internal/document"

// DocumentType returns the doc-type in whose folder a file is as the index knows
// it; see [Project.DocTypeOf].
func (p *Project) DocumentType(relPath string) (document.DocType, bool) {
	t, ok := p.DocTypeOf(relPath)
	return document.DocType{Name: t.Name, SchemaHash: t.SchemaHash, Validate: t.documentViolations}, ok
}

func (t DocType) documentViolations(frontMatter map[string]any) []document.Violation {
	found := t.Validate(frontMatter)
	violations := make([]document.Violation, len(found))
	for i, v := range found {
		violations[i] = document.Violation(v)
	}
	return violations
}
