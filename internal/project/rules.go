package project

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/compound-docs/compound-docs/internal/project/jsonschema"
)

// Rules say how the index reads one document.
type Rules struct {
	Name string // name of the doc-type
	// Docs is a folder of the repository. A document may name another document by a path in this folder.
	Docs string
	// LinkRoot is the folder of the repository where links that begin with / start. "." and "" are the repository itself.
	LinkRoot string
	// Language is the code of the document's language, such as de. "" means that the index detects the language.
	Language string
	// SchemaHash identifies the rules. When it changes, documents may have become valid or invalid.
	SchemaHash string
	// Validate returns what is wrong with a document's front matter, sorted by field.
	Validate func(frontMatter map[string]any) []Violation
	// Misspelt returns a violation for each field that is probably a field of the server with a mistake, such as trigger.
	// No schema forbids these fields, so nobody would notice the mistake.
	Misspelt func(frontMatter map[string]any) []Violation
	// Named returns the rules of the doc-type called name, or false if the project has no such doc-type. The field Named
	// is nil in a strict project, where a document must fit its folder's doc-type. In a lenient project, front matter may
	// name any doc-type, and Validate only advises.
	Named func(name string) (Rules, bool)
}

// Lenient reports whether documents need no front matter.
func (r Rules) Lenient() bool { return r.Named != nil }

// Rules returns the rules for the document at relPath, which is relative to Root. It returns false if no document is
// there.
func (p *Project) Rules(relPath string) (Rules, bool) {
	t, ok := p.DocTypeOf(relPath)
	if !ok {
		return Rules{}, false
	}
	linkBase := p.linkBase(relPath)
	// A document of documents.folders never needs front matter, because it may be older than this server.
	if p.Lenient() || !contains(p.docsDir, relPath) {
		return p.lenientRules(t, linkBase), true
	}
	rules := p.rules(t, linkBase)
	rules.SchemaHash = fingerprint([]byte(t.SchemaHash), []byte(linkBase), []byte(rules.LinkRoot), []byte(rules.Language))
	return rules, true
}

// rules returns the rules for documents of a doc-type, without SchemaHash.
func (p *Project) rules(t DocType, linkBase string) Rules {
	return Rules{
		Name: t.Name, Docs: linkBase, LinkRoot: p.Config.Documents.LinkRoot, Language: p.Config.Documents.Language,
		Validate: t.Validate, Misspelt: t.misspelt,
	}
}

// inference returns a text that identifies the rules of [Project.DocTypeOf]. It is the same for all documents.
var inference = sync.OnceValue(func() []byte { return []byte(fmt.Sprint(fallbackType, commonFolders)) })

// lenientRules returns the rules for a document that needs no front matter. SchemaHash depends on how
// [Project.DocTypeOf] decides. It does not depend on schemas, because in a lenient project schemas only give advice.
func (p *Project) lenientRules(t DocType, linkBase string) Rules {
	rules := p.rules(t, linkBase)
	parts := [][]byte{
		[]byte("lenient"), []byte(p.docsDir), []byte(linkBase), []byte(rules.LinkRoot), []byte(rules.Language),
		inference(),
	}
	for _, known := range p.types {
		parts = append(parts, []byte(known.Name), []byte(known.Folder))
	}
	rules.SchemaHash = fingerprint(parts...)
	rules.Validate = func(frontMatter map[string]any) []Violation { return p.advise(t, frontMatter) }
	rules.Named = func(name string) (Rules, bool) {
		named, ok := p.DocType(name)
		if !ok {
			return Rules{}, false
		}
		return p.lenientRules(named, linkBase), true
	}
	return rules
}

// advise returns the violations that a strict project would find in a document of the doc-type.
func (p *Project) advise(t DocType, frontMatter map[string]any) []Violation {
	if p.Profiled(frontMatter) {
		t.schemas, t.ownNulls = []lazySchema{embeddedSchema("schemas/compound-engineering.json", "")}, false
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

// misspelt returns a violation for each field that resembles one of the commonFields and is no field of the schemas.
func (t DocType) misspelt(frontMatter map[string]any) []Violation {
	const shortest = 7 // in shorter names, such as tag and tags, one letter may make another word
	var violations []Violation
	for _, field := range slices.Sorted(maps.Keys(frontMatter)) {
		name := strings.ReplaceAll(strings.ToLower(field), "-", "_")
		isRelation := strings.HasSuffix(name, "by") // package said reads superseded_by, superseded-by and supersededBy
		isField := func(s lazySchema) bool { return s().Has(field) }
		if isRelation || slices.Contains(commonFields, strings.ToLower(field)) || slices.ContainsFunc(t.schemas, isField) {
			continue
		}
		for _, known := range commonFields {
			if len(known) >= shortest && areAlike(name, known) {
				violations = append(violations, Violation{Field: field, Problem: "is unknown", Expected: known})
			}
		}
	}
	return violations
}

// areAlike reports whether two words differ in at most one letter, or in the order of two letters.
func areAlike(a, b string) bool {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	isSwapped := len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
	return isSwapped || len(a) <= 1 && len(b) <= 1
}

// CompoundEngineering is the value of [Config.Profile] for documents of the plugin compound-engineering.
const CompoundEngineering = "compound-engineering"

// A document belongs to the profile CompoundEngineering if it has a field of each list. sharedFields are also fields of
// the doc-type problem. No built-in doc-type has profileFields.
var (
	sharedFields  = []string{"problem_type", "component", "severity"}
	profileFields = []string{"module", "category", "applies_when", "resolution_type"}
)

// Profiled reports whether front matter has the profile CompoundEngineering, by the configuration or by the fields of
// the front matter. It returns false for front matter with a doc_type.
func (p *Project) Profiled(frontMatter map[string]any) bool {
	if frontMatter["doc_type"] != nil {
		return false
	}
	given := func(field string) bool { return frontMatter[field] != nil }
	return p.Config.Profile == CompoundEngineering ||
		slices.ContainsFunc(sharedFields, given) && slices.ContainsFunc(profileFields, given)
}
