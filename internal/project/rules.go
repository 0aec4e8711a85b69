package project

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/project/jsonschema"
)

// Rules say how the index reads one document.
type Rules struct {
	Name string // of the doc-type
	// Docs is the folder of all the project's documents. A document may name another one by its path in there.
	Docs string
	// LinkRoot is the folder of the repository from which links that begin with / lead. It is "." or "" for the
	// repository itself.
	LinkRoot string
	// Language is that of the document by its code, as in package terms; "" to find it.
	Language string
	// SchemaHash identifies the rules. When it changes, documents may have become valid or invalid.
	SchemaHash string
	// Validate returns what is wrong with a document's front matter, sorted by field.
	Validate func(frontMatter map[string]any) []Violation
	// Named is set in a lenient project, where a document has any front matter or none, and what Validate
	// returns is advice. It returns the rules of the doc-type that front matter may name instead of the folder's.
	Named func(name string) (Rules, bool)
}

// Lenient reports whether documents need no front matter.
func (r Rules) Lenient() bool { return r.Named != nil }

// Rules returns the rules for a document. relPath and ok are as in [Project.DocTypeOf].
func (p *Project) Rules(relPath string) (Rules, bool) {
	t, ok := p.DocTypeOf(relPath)
	if !ok {
		return Rules{}, false
	}
	linkBase := p.linkBase(relPath)
	if p.lenientAt(relPath) {
		return p.lenientRules(t, linkBase), true
	}
	rules := p.rules(t, linkBase)
	if linkBase != DocsFolder || rules.LinkRoot != "." || rules.Language != "" { // paths may be relative to them
		rules.SchemaHash = fingerprint([]byte(t.SchemaHash), []byte(linkBase), []byte(rules.LinkRoot), []byte(rules.Language))
	}
	return rules, true
}

func (p *Project) rules(t DocType, linkBase string) Rules {
	return Rules{
		Name: t.Name, Docs: linkBase, LinkRoot: p.Config.Documents.LinkRoot, Language: p.Config.Documents.Language,
		SchemaHash: t.SchemaHash, Validate: t.Validate,
	}
}

// lenientRules are rules whose hash depends on the rules of [Project.DocTypeOf] and not on schemas.
func (p *Project) lenientRules(t DocType, linkBase string) Rules {
	rules := p.rules(t, linkBase)
	parts := [][]byte{
		[]byte("lenient"), []byte(p.docsDir), []byte(linkBase), []byte(rules.LinkRoot), []byte(rules.Language),
		[]byte(fmt.Sprint(fallbackType, commonFolders)),
	}
	for _, known := range p.types {
		parts = append(parts, []byte(known.Name), []byte(known.Folder))
	}
	rules.SchemaHash = fingerprint(parts...)
	rules.Validate = func(frontMatter map[string]any) []Violation { return p.advise(t, frontMatter) }
	rules.Named = func(name string) (Rules, bool) {
		named, ok := p.DocType(name)
		return p.lenientRules(named, linkBase), ok
	}
	return rules
}

// advise returns the violations that a strict project would find in a document of the doc-type.
func (p *Project) advise(t DocType, frontMatter map[string]any) []Violation {
	if p.Profiled(frontMatter) {
		t.schemas, t.ownNulls = []lazySchema{p.profile}, false
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
	return slices.Insert(t.Validate(frontMatter), 0, Violation{
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
