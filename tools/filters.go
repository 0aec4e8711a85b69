package tools

import (
	"maps"
	"strings"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// SearchFilters are the parameters that narrow a search of the project's own documents. Searches of other collections
// do not have these parameters.
type SearchFilters struct {
	DocTypes        []string         `json:"doc_types,omitempty" jsonschema:"Only these doc-types; see list_doc_types. Default: all."`
	PromotionLevels []catalog.Level  `json:"promotion_levels,omitempty" jsonschema:"Only these levels. Default: all."`
	Statuses        []catalog.Status `json:"status,omitempty" jsonschema:"Only documents that are one of these. Default: all."`
	Paths           []string         `json:"paths,omitempty" jsonschema:"Only documents that cite these or name their code, such as db/pool.go:40."`
}

// Filter describes one filter. The tools declare a parameter from it, and the command line a flag.
type Filter struct {
	// Flag is the name of the flag, or "" if the command line lacks the filter. Usage is the help of the flag.
	Flag, Usage string
	// Take sets the parameter from the values of the flag.
	Take func(in *SearchFilters, values []string)

	// declare maps the parameter's name to the edits of its schema.
	declare map[string][]property
}

// Filters returns all filters. To add a filter, add an element here, a field to [SearchFilters] and to [rag.Filter],
// and code to [SearchFilters.filter].
func Filters() []Filter {
	return []Filter{
		{
			Flag: "doc-types", Usage: "only these doc-types, separated by commas",
			Take:    func(in *SearchFilters, values []string) { in.DocTypes = values },
			declare: map[string][]property{"doc_types": {notNull, example([]string{"problem", "tool"})}},
		},
		{
			Flag: "promotion-levels", Usage: "only these levels: " + strings.Join(Names(catalog.Levels()), ", "),
			Take:    func(in *SearchFilters, values []string) { in.PromotionLevels = converted[catalog.Level](values) },
			declare: map[string][]property{"promotion_levels": {levels, example([]string{"important", "critical"})}},
		},
		{
			Flag: "status", Usage: "only documents that are one of: " + strings.Join(Names(catalog.Statuses()), ", "),
			Take:    func(in *SearchFilters, values []string) { in.Statuses = converted[catalog.Status](values) },
			declare: map[string][]property{"status": {oneOf(catalog.Statuses()...), example([]string{"active"})}},
		},
		{
			Take:    func(in *SearchFilters, values []string) { in.Paths = values },
			declare: map[string][]property{"paths": {notNull, example([]string{"src/pool.go", "src/"})}},
		},
	}
}

// filter returns the filters that the index can apply. [Handler.searchQuery] applies the filter by Paths.
func (in SearchFilters) filter() rag.Filter {
	return rag.Filter{DocTypes: in.DocTypes, Levels: in.PromotionLevels, Statuses: in.Statuses}
}

// declareFilters adds the parameters of all filters to the parameters of a tool.
func declareFilters(properties map[string][]property) map[string][]property {
	for _, f := range Filters() {
		maps.Copy(properties, f.declare)
	}
	return properties
}
