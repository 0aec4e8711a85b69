package project

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/compound-docs/compound-docs/internal/project/jsonschema"
)

// BuiltIn is the value of [DocType.Schema] for the doc-types that every project has.
const BuiltIn = "built-in"

// DocType is a kind of document: the folder of its files and the rules for their front matter. It is immutable and safe
// for concurrent use.
type DocType struct {
	Name        string
	Description string
	Folder      string // relative to the folder of the documents, with / separators
	Schema      string // [BuiltIn], or the schema_file of a custom doc-type, or ""
	Custom      bool
	SchemaHash  string // hexadecimal SHA-256 of everything that [DocType.Validate] depends on

	schemas  []lazySchema
	ownNulls bool // the schema is the project's, and may allow null
}

// Violation is one mistake in a document's front matter, in words for its writer, such as
// {"severity", `is "urgent"`, "one of critical, high, medium, low"}.
type Violation struct {
	Field    string `json:"field"`    // the place in the front matter, such as severity or tags[1]
	Problem  string `json:"problem"`  // completes the sentence that Field begins
	Expected string `json:"expected"` // a noun phrase, never empty
}

// commonFields are the fields that the server reads. No schema can forbid them.
var commonFields = []string{
	"doc_type", "title", "date", "summary", "significance", "tags", "questions", "related_docs", "promotion_level", "triggers",
	"supersedes", "superseded_by", "amends", "amended_by", "status", "expires", "valid_until", "review_by",
}

// Validate returns all violations in a document's front matter, sorted by field. The result is never nil. frontMatter
// has JSON-compatible values, with dates as strings. It is nil for a document without front matter. doc_type may be
// missing, because the folder implies it. Under a built-in schema a field without a value counts as missing.
func (t DocType) Validate(frontMatter map[string]any) []Violation {
	value := map[string]any{}
	maps.Copy(value, frontMatter)
	if !t.ownNulls {
		maps.DeleteFunc(value, func(_ string, v any) bool { return v == nil })
	}
	violations := []Violation{}
	if given := value["doc_type"]; given != nil && given != t.Name {
		violations = append(violations, Violation{
			Field: "doc_type", Problem: jsonschema.State(given), Expected: fmt.Sprintf("%s, as the folder %s says", t.Name, t.Folder),
		})
	}
	value["doc_type"] = t.Name
	for _, s := range t.schemas {
		for _, f := range s().Check(value) {
			if f.Unknown && slices.Contains(commonFields, f.Field) {
				continue
			}
			if _, given := frontMatter[f.Field]; given && value[f.Field] == nil {
				f.Problem = "is empty"
			}
			violations = append(violations, Violation{
				Field: cmp.Or(f.Field, "front matter"), Problem: f.Problem, Expected: f.Expected,
			})
		}
	}
	slices.SortStableFunc(violations, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Problem, b.Problem), cmp.Compare(a.Expected, b.Expected))
	})
	return slices.Compact(violations)
}

// builtInTypes returns the doc-types that every project has, in their usual order, with names and descriptions from
// their schemas.
func builtInTypes() []DocType {
	var types []DocType
	for _, folder := range []string{"problems", "insights", "codebase", "tools", "styles"} {
		file := "schemas/" + strings.TrimSuffix(folder, "s") + ".json" // a folder's name is a plural
		var about struct {
			Title       string `json:"title"`
			Description string `json:"description"`
		}
		data := readEmbedded(file, &about)
		types = append(types, DocType{
			Name: about.Title, Description: about.Description, Folder: folder, Schema: BuiltIn,
			SchemaHash: fingerprint(commonSchema, []byte(about.Title), data), schemas: []lazySchema{embeddedSchema(file, "")},
		})
	}
	return types
}

// fingerprint hashes parts. It also hashes the length of each part, so that different lists have different hashes.
func fingerprint(parts ...[]byte) string {
	var text []byte
	for _, p := range parts {
		text = append(strconv.AppendInt(text, int64(len(p)), 10), ':')
		text = append(text, p...)
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}
