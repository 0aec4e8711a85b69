package tools

import (
	"context"
	"maps"
	"strings"

	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// SearchFilters are the parameters that narrow a search of own documents. Other collections have none.
type SearchFilters struct {
	DocTypes        []string         `json:"doc_types,omitempty" jsonschema:"Only these doc-types; see list_doc_types. Default: all."`
	PromotionLevels []catalog.Level  `json:"promotion_levels,omitempty" jsonschema:"Only these levels. Default: all."`
	Statuses        []catalog.Status `json:"status,omitempty" jsonschema:"Only documents that are one of these. Default: all."`
	Paths           []string         `json:"paths,omitempty" jsonschema:"Only documents that cite these or name their code, such as db/pool.go:40."`
}

// Filter is a row of the table of filters: how tools declare one, and how commands take it.
type Filter struct {
	// Flag is the name of the command's flag, "" for none, with its help and the values to complete.
	Flag, Usage string
	Values      []string
	// Take sets the parameter from the values of the flag.
	Take func(in *SearchFilters, values []string)

	// declare edits the parameter's schema.
	declare map[string][]property
}

// Filters returns the table. A new filter is a row of it, a field of [SearchFilters], and a field of [rag.Filter] that
// filterOf sets and narrowed knows.
func Filters() []Filter {
	return []Filter{
		{
			Flag: "doc-types", Usage: "only these doc-types, separated by commas",
			Take:    func(in *SearchFilters, values []string) { in.DocTypes = values },
			declare: map[string][]property{"doc_types": {notNull, example([]string{"problem", "tool"})}},
		},
		{
			Flag: "promotion-levels", Usage: "only these levels: " + strings.Join(Names(catalog.Levels()), ", "),
			Values: Names(catalog.Levels()),
			Take: func(in *SearchFilters, values []string) {
				for _, level := range values {
					in.PromotionLevels = append(in.PromotionLevels, catalog.Level(level))
				}
			},
			declare: map[string][]property{"promotion_levels": {levels, example([]string{"important", "critical"})}},
		},
		{
			Flag: "status", Usage: "only documents that are one of: " + strings.Join(Names(catalog.Statuses()), ", "),
			Values: Names(catalog.Statuses()),
			Take: func(in *SearchFilters, values []string) {
				for _, status := range values {
					in.Statuses = append(in.Statuses, catalog.Status(status))
				}
			},
			declare: map[string][]property{"status": {oneEachOf(Names(catalog.Statuses()))}},
		},
		{
			Take:    func(in *SearchFilters, values []string) { in.Paths = values },
			declare: map[string][]property{"paths": {notNull}},
		},
	}
}

// declareFilters adds the parameters of all filters to those of a tool.
func declareFilters(properties map[string][]property) map[string][]property {
	for _, f := range Filters() {
		maps.Copy(properties, f.declare)
	}
	return properties
}

// filterOf returns the filter that the parameters ask for.
func filterOf(ctx context.Context, active *workspace.Project, in SearchFilters) (rag.Filter, error) {
	query := rag.Filter{DocTypes: in.DocTypes, Levels: in.PromotionLevels, Statuses: in.Statuses}
	err := checkDocTypes(active, in.DocTypes)
	if err != nil || len(in.Paths) == 0 {
		return query, err
	}
	query.Documents, err = active.DocumentsCiting(ctx, in.Paths) // all of them are wanted, whatever their words
	return query, err
}

// narrowed reports whether a query leaves out documents that may answer it.
func narrowed(query rag.Filter) bool {
	return len(query.DocTypes)+len(query.Levels)+len(query.Statuses) > 0 || query.Documents != nil
}
