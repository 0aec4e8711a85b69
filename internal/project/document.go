package project

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/project/jsonschema"
)

// DocumentType is [Project.DocTypeOf] for the index.
func (p *Project) DocumentType(relPath string) (document.DocType, bool) {
	t, ok := p.DocTypeOf(relPath)
	if !ok {
		return document.DocType{}, false
	}
	return p.documentType(t, p.linkBase(relPath), p.lenientAt(relPath)), true
}

func (p *Project) documentType(t DocType, linkBase string, lenient bool) document.DocType {
	d := document.DocType{
		Name: t.Name, Docs: linkBase, LinkRoot: p.Config.Documents.LinkRoot, Language: p.Config.Documents.Language,
		SchemaHash: t.SchemaHash, Validate: t.Validate,
	}
	switch {
	case lenient:
		d.SchemaHash = p.lenientHash(linkBase)
		d.Validate = func(frontMatter map[string]any) []document.Violation { return p.advise(t, frontMatter) }
		d.Named = func(name string) (document.DocType, bool) {
			named, ok := p.DocType(name)
			return p.documentType(named, linkBase, lenient), ok
		}
	case linkBase != DocsFolder || d.LinkRoot != "." || d.Language != "": // paths may be relative to them
		d.SchemaHash = fingerprint([]byte(t.SchemaHash), []byte(linkBase), []byte(d.LinkRoot), []byte(d.Language))
	}
	return d
}

// lenientHash identifies the doc-types of a lenient project's documents. It depends on the rules of
// [Project.DocTypeOf] and not on schemas.
func (p *Project) lenientHash(linkBase string) string {
	parts := [][]byte{
		[]byte("lenient"), []byte(p.docsDir), []byte(linkBase),
		[]byte(p.Config.Documents.LinkRoot), []byte(p.Config.Documents.Language),
		[]byte(fmt.Sprint(fallbackType, commonFolders)),
	}
	for _, t := range p.types {
		parts = append(parts, []byte(t.Name), []byte(t.Folder))
	}
	return fingerprint(parts...)
}

// advise returns the violations that a strict project would find in a document of the doc-type.
func (p *Project) advise(t DocType, frontMatter map[string]any) []document.Violation {
	if p.Profiled(frontMatter) {
		if profiled, err := profiled(t); err == nil { // a test compiles what is built in
			return profiled.Validate(frontMatter)
		}
	}
	given := frontMatter["doc_type"]
	if given == nil || given == t.Name {
		return t.Validate(frontMatter)
	}
	names := make([]string, len(p.types))
	for i, known := range p.types {
		names[i] = known.Name
	}
	frontMatter = maps.Clone(frontMatter)
	delete(frontMatter, "doc_type")
	return slices.Insert(t.Validate(frontMatter), 0, document.Violation{
		Field: "doc_type", Problem: jsonschema.State(given),
		Expected: fmt.Sprintf("one of %s; it counts as %s", strings.Join(names, ", "), t.Name),
	})
}

// CompoundEngineering is the value of [Config.Profile] for documents of the plugin of that name.
const CompoundEngineering = "compound-engineering"

// CompoundEngineering's documents have some of sharedFields, as problems do, and some of
// profileFields, which no built-in doc-type has.
var (
	sharedFields  = []string{"problem_type", "component", "severity"}
	profileFields = []string{"module", "category", "applies_when", "resolution_type"}
)

// Profiled reports whether a document's front matter is CompoundEngineering's, by its fields or by the
// configuration. A document with a doc_type is not.
func (p *Project) Profiled(frontMatter map[string]any) bool {
	if frontMatter["doc_type"] != nil {
		return false
	}
	given := func(field string) bool { return frontMatter[field] != nil }
	return p.Config.Profile == CompoundEngineering ||
		slices.ContainsFunc(sharedFields, given) && slices.ContainsFunc(profileFields, given)
}

func profiled(t DocType) (DocType, error) {
	s, err := embeddedSchema("schemas/compound-engineering.json", "")
	t.schemas, t.ownNulls = []*jsonschema.Schema{s}, false
	return t, err
}
