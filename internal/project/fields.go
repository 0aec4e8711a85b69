package project

import (
	"slices"

	"github.com/compound-docs/compound-docs/internal/jsonschema"
)

// Field is a key of a document's front matter.
type Field = jsonschema.Field

// Fields lists what the front matter of the doc-type's documents holds beside doc_type, which the
// folder says: the required fields in the order in which the schema asks for them, then the others.
func (t DocType) Fields() []Field {
	fields := []Field{}
	for _, s := range t.schemas {
		for _, f := range s.Fields() {
			if f.Name == "doc_type" || slices.ContainsFunc(fields, func(have Field) bool { return have.Name == f.Name }) {
				continue
			}
			fields = append(fields, f)
		}
	}
	return fields
}
