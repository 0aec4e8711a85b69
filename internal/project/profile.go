package project

import (
	"slices"

	"github.com/compound-docs/compound-docs/internal/jsonschema"
)

// CompoundEngineering is the value of [Config.Profile] for documents as the plugin of that name
// writes them.
const CompoundEngineering = "compound-engineering"

// CompoundEngineering's documents have some of sharedFields, as problems do, and some of
// profileFields, which no built-in doc-type has.
var (
	sharedFields  = []string{"problem_type", "component", "severity"}
	profileFields = []string{"module", "category", "applies_when", "resolution_type"}
)

// Profiled reports whether a document's front matter is CompoundEngineering's: the configuration
// says so of all that name no doc-type, and otherwise its fields do.
func (p *Project) Profiled(frontMatter map[string]any) bool {
	if frontMatter["doc_type"] != nil {
		return false
	}
	given := func(field string) bool { return frontMatter[field] != nil }
	return p.Config.Profile == CompoundEngineering ||
		slices.ContainsFunc(sharedFields, given) && slices.ContainsFunc(profileFields, given)
}

// profiled returns the doc-type with the schema of CompoundEngineering.
func profiled(t DocType) (DocType, error) {
	s, err := embeddedSchema("schemas/compound-engineering.json", "")
	t.schemas, t.ownNulls = []*jsonschema.Schema{s}, false
	return t, err
}
