package tools

import (
	"fmt"
	"math"

	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
)

// externalMinScore is the threshold of both external tools when neither config
// nor parameter gives one.
const externalMinScore = 0.7

// threshold is the least relevance that a search accepts.
type threshold struct {
	score float64
	// configured: it is the config's, which the parameter cannot change.
	configured bool
}

// newThreshold lets the parameter win over the config's score.
func newThreshold(parameter *float64, config float64) threshold {
	return threshold{score: valueOr(parameter, config)}
}

// externalThreshold lets the config win over the parameter, which is how the
// external tools differ from the others.
func externalThreshold(active *workspace.Project, parameter *float64) threshold {
	if configured := active.Definition.Config.SemanticSearch.Configured; configured != nil {
		return threshold{score: *configured, configured: true}
	}
	return newThreshold(parameter, externalMinScore)
}

// remedy says what lets a document of the score through.
func (t threshold) remedy(score float64) string {
	enough := fmt.Sprintf("%.2f or less", math.Floor(score*100)/100)
	if t.configured {
		return "set semantic_search.min_relevance_score in .csharp-compounding-docs/config.json to " + enough +
			"; it wins over the parameter min_relevance_score here"
	}
	return "pass min_relevance_score " + enough
}

// closestOutput is the nearest document when none reached the threshold.
type closestOutput struct {
	Path           string  `json:"path"`
	RelevanceScore float64 `json:"relevance_score"`
	Remedy         string  `json:"remedy" jsonschema:"What lets it through."`
}

func (t threshold) closest(hit *rag.Hit) *closestOutput {
	if hit == nil {
		return nil
	}
	return &closestOutput{Path: wirePath(hit.Path), RelevanceScore: t.missed(hit.Score), Remedy: t.remedy(hit.Score)}
}

// nothingFound is the answer when there is nothing to answer from.
func (t threshold) nothingFound(closest *rag.Hit, filtered bool) string {
	switch {
	case closest != nil:
		return fmt.Sprintf("No document is relevant enough to answer from: the closest is %s with a relevance of %g, below "+
			"the minimum of %g. To use it, %s.", wirePath(closest.Path), t.missed(closest.Score), t.score, t.remedy(closest.Score))
	case filtered:
		return "No document is of the doc-types and the promotion level asked for: leave out doc_types or min_promotion_level."
	default:
		return "There are no documents to answer from."
	}
}

// missed rounds a score below the threshold so that it does not read as if it
// reached it.
func (t threshold) missed(score float64) float64 {
	if rounded := round(score); rounded < t.score {
		return rounded
	}
	return math.Floor(score*1000) / 1000
}
