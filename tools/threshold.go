package tools

import (
	"fmt"
	"math"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
)

// externalMinScore is the threshold of both external tools if neither the config nor
// the parameter sets one.
const externalMinScore = 0.7

// externalThreshold returns the config's minimum score, or else the parameter: the
// external tools have the opposite order of the others.
func externalThreshold(active *workspace.Project, parameter *float64) float64 {
	if configured := active.Definition.Config.SemanticSearch.Configured; configured != nil {
		return *configured
	}
	return valueOr(parameter, externalMinScore)
}

// overriddenText says that the config overrides the parameter; "" if it does not.
func overriddenText(active *workspace.Project, parameter *float64) string {
	threshold := externalThreshold(active, parameter)
	if parameter == nil || *parameter == threshold {
		return ""
	}
	return fmt.Sprintf("The project's config sets the minimum relevance to %g, which overrides %g.", threshold, *parameter)
}

// nothingOutput is in an answer without results.
type nothingOutput struct {
	NothingRelevant bool            `json:"nothing_relevant,omitempty"`
	Closest         []closestOutput `json:"closest,omitempty"`
}

// closestOutput is a document that is near, and no result.
type closestOutput struct {
	Path           string  `json:"path"`
	Title          string  `json:"title"`
	RelevanceScore float64 `json:"relevance_score"`
	bestPassage
	snippetOutput
}

func nothingOf(results int, closest []rag.Hit, minScore float64) nothingOutput {
	return nothingOutput{NothingRelevant: results == 0, Closest: closestOf(closest, minScore)}
}

// closestOf takes the score that all of the documents are below.
func closestOf(hits []rag.Hit, below float64) []closestOutput {
	var out []closestOutput
	for _, hit := range hits {
		out = append(out, closestOutput{
			Path: wirePath(hit.Path), Title: brief(hit.Title), RelevanceScore: roundBelow(hit.Score, below),
			bestPassage: bestPassageOf(hit, maxText), snippetOutput: snippetOutput{hit.Snippet},
		})
	}
	return out
}

// nothingFound says that nothing answers a query.
func nothingFound(closest []rag.Hit, minScore float64, filtered bool) string {
	switch {
	case len(closest) > 0:
		return fmt.Sprintf("The documents hold nothing on this: the closest is %s with a relevance of %g, below the minimum of %g.",
			wirePath(closest[0].Path), roundBelow(closest[0].Score, minScore), minScore)
	case filtered:
		return "The documents asked for hold nothing on this."
	default:
		return "The documents hold nothing on this."
	}
}

// alteredText says that passages were left out; "" for none.
func alteredText(altered int, again string) string {
	if altered == 0 {
		return ""
	}
	return fmt.Sprintf("%s left out: somebody has altered the text in the database. %s",
		plain.Count(altered, "passage"), again)
}

const (
	alteredIsRestored = "It is being written again from the files."
	alteredHandbook   = "Run `compound-docs ingest` again to write it from the files."
)

// roundBelow rounds a score below the threshold, down if rounding would make it equal
// to the threshold.
func roundBelow(score, minScore float64) float64 {
	if rounded := round(score); rounded < minScore {
		return rounded
	}
	return math.Floor(score*1000) / 1000
}
