package tools

import (
	"fmt"
	"math"

	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
)

// externalMinScore is the threshold of both external tools if neither the config nor
// the parameter sets one.
const externalMinScore = 0.7

// threshold is the minimum relevance of a search.
type threshold struct {
	score float64
	// configured says that the score is from the config and overrides the parameter.
	configured bool
}

// newThreshold takes the parameter, or else the config's score.
func newThreshold(parameter *float64, config float64) threshold {
	return threshold{score: valueOr(parameter, config)}
}

// externalThreshold takes the config's score, or else the parameter: the external
// tools have the opposite order of the others.
func externalThreshold(active *workspace.Project, parameter *float64) threshold {
	if configured := active.Definition.Config.SemanticSearch.Configured; configured != nil {
		return threshold{score: *configured, configured: true}
	}
	return newThreshold(parameter, externalMinScore)
}

// remedy says how to get a document of the score into the results.
func (t threshold) remedy(score float64) string {
	enough := fmt.Sprintf("%.2f or less", math.Floor(score*100)/100)
	if t.configured {
		return "set semantic_search.min_relevance_score in .csharp-compounding-docs/config.json to " + enough +
			"; it overrides the parameter min_relevance_score here"
	}
	return "pass min_relevance_score " + enough
}

// closestOutput is the most relevant document, if none reached the threshold.
type closestOutput struct {
	Path           string  `json:"path"`
	RelevanceScore float64 `json:"relevance_score"`
	Remedy         string  `json:"remedy" jsonschema:"What lets it through."`
}

func (t threshold) closest(hit *rag.Hit) *closestOutput {
	if hit == nil {
		return nil
	}
	return &closestOutput{Path: wirePath(hit.Path), RelevanceScore: t.roundBelow(hit.Score), Remedy: t.remedy(hit.Score)}
}

// nothingFound returns the answer for a question without sources.
func (t threshold) nothingFound(closest *rag.Hit, filtered bool) string {
	switch {
	case closest != nil:
		return fmt.Sprintf("No document is relevant enough to answer from: the closest is %s with a relevance of %g, below "+
			"the minimum of %g. To use it, %s.", wirePath(closest.Path), t.roundBelow(closest.Score), t.score, t.remedy(closest.Score))
	case filtered:
		return "No document is of the doc-types and the promotion level asked for: leave out doc_types or min_promotion_level."
	default:
		return "There are no documents to answer from."
	}
}

// roundBelow rounds a score below the threshold, down if rounding would make it equal
// to the threshold.
func (t threshold) roundBelow(score float64) float64 {
	if rounded := round(score); rounded < t.score {
		return rounded
	}
	return math.Floor(score*1000) / 1000
}
