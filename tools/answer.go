package tools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// Claude Code drops an answer of more than 25,000 tokens. Texts from documents and
// configs can have any length, so answers bound them.
const (
	// maxText bounds a title, a summary, a heading path or a reason, in characters.
	maxText = 300
	// maxList bounds the main list of an answer, measured by weight: about 15,000
	// tokens.
	maxList = 52_000
	// maxSideList bounds every other list of an answer.
	maxSideList = 6_000
)

func brief(text string) string { return cutLine(text, maxText) }

// cutLine returns a text as one line of at most limit characters.
func cutLine(text string, limit int) string { return plain.Line(markdown.CutRunes(text, limit)) }

// textLimit returns how many characters a text may have in a list of so many items: a
// long list has short texts, so that fewer of its items are left out.
func textLimit(items int) int {
	const inFull, shortest = 25, maxText / 4
	return max(maxText*inFull/max(items, inFull), shortest)
}

// fit returns the first items of a list, up to a weight of most, and the number of items
// left out.
func fit[T any](list []T, most int) (fitting []T, omitted int) {
	for i, item := range list {
		if most -= weight(item); most < 0 {
			return list[:i:i], len(list) - i
		}
	}
	return list, 0
}

// weight returns the length of a value as JSON. Bytes of characters outside ASCII
// count twice: they cost more tokens.
func weight(value any) int {
	encoded, err := json.Marshal(value)
	if err != nil {
		return 0 // no field of an answer fails to encode
	}
	total := len(encoded) + 1
	for _, b := range encoded {
		if b >= utf8.RuneSelf {
			total++
		}
	}
	return total
}

// coverageOutput says how documents were found, where that is not as asked.
type coverageOutput struct {
	Mode              rag.Mode `json:"mode,omitempty" jsonschema:"How documents were found, if not as asked."`
	ModeReason        string   `json:"mode_reason,omitempty" jsonschema:"Why they were found by words alone."`
	RetryAfterSeconds float64  `json:"retry_after_seconds,omitempty" jsonschema:"When to try again by meaning."`
	Embedded          *float64 `json:"embedded,omitempty" jsonschema:"Part of the text found by meaning so far; the rest by words alone."`
}

func coverageOf(coverage rag.Coverage, asked rag.Mode) coverageOutput {
	var out coverageOutput
	if coverage.Embedded != 1 { // rounded down: 1 would say that nothing is missing
		out.Embedded = new(math.Floor(coverage.Embedded*100) / 100)
	}
	if coverage.Mode != cmp.Or(asked, rag.Hybrid) {
		out.Mode = coverage.Mode
	}
	if coverage.Fallback != nil {
		e := apierror.AsError(coverage.Fallback)
		out.ModeReason = brief(e.Error())
		out.RetryAfterSeconds, _ = e.Details["retry_after_seconds"].(float64)
	}
	return out
}

// modes restricts a text to the modes of a search.
func modes(s *jsonschema.Schema) {
	for _, mode := range rag.Modes() {
		s.Enum = append(s.Enum, string(mode))
	}
	withDefault(rag.Hybrid)(s)
}

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

// FoundEnd is what the answers of searches end with.
type FoundEnd struct {
	// Message says in words that nothing was found, or what was left out.
	Message string `json:"message,omitempty"`
	nothingOutput
	coverageOutput
	Index *IndexStatus `json:"index,omitempty" jsonschema:"Present while the index is behind the files."`
}

func (h *Handler) foundEnd(
	active *workspace.Project, before workspace.Status, of catalog.Collection, hits rag.Hits, query rag.Query,
) FoundEnd {
	var message string
	if len(hits.Documents) == 0 {
		message = nothingFound(hits.Closest, query.MinScore, len(query.DocTypes)+len(query.Levels) > 0)
	}
	return FoundEnd{
		Message: message, nothingOutput: nothingOf(len(hits.Documents), hits.Closest, query.MinScore),
		coverageOutput: coverageOf(hits.Coverage, query.Mode),
		Index:          indexOfHits(active, before, of, hits.Documents, hits.Closest),
	}
}

// nothingOutput is in an answer without results.
type nothingOutput struct {
	NothingRelevant bool              `json:"nothing_relevant,omitempty"`
	Closest         []ClosestDocument `json:"closest,omitempty"`
}

// ClosestDocument is a document that is near, and no result.
type ClosestDocument struct {
	Path           string  `json:"path"`
	Title          string  `json:"title"`
	RelevanceScore float64 `json:"relevance_score"`
	BestPassage
	Snippet string `json:"snippet,omitempty"`
}

func nothingOf(results int, closest []rag.Hit, minScore float64) nothingOutput {
	return nothingOutput{NothingRelevant: results == 0, Closest: closestOf(closest, minScore)}
}

// closestOf takes the score that all of the documents are below.
func closestOf(hits []rag.Hit, below float64) []ClosestDocument {
	var out []ClosestDocument
	for _, hit := range hits {
		out = append(out, ClosestDocument{
			Path: wirePath(hit.Path), Title: brief(hit.Title), RelevanceScore: roundBelow(hit.Score, below),
			BestPassage: bestPassageOf(hit, maxText), Snippet: plain.Line(hit.Snippet),
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

// roundBelow rounds a score below the threshold, down if rounding would make it equal
// to the threshold.
func roundBelow(score, minScore float64) float64 {
	if rounded := round(score); rounded < minScore {
		return rounded
	}
	return math.Floor(score*1000) / 1000
}
