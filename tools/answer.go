package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/rank"
	"github.com/compound-docs/compound-docs/rag/relevance"
)

// Answers need limits: Claude Code drops an answer of more than 25,000 tokens, and documents can have any length.
const (
	// maxText limits a title, a summary, a heading path or a reason, in characters.
	maxText = 300
	// maxList limits the main list of an answer, in units of the function weight, to approximately 15,000 tokens.
	maxList = 52_000
	// maxSideList limits each list of an answer except the main list, in units of the function weight.
	maxSideList = 6_000
)

func brief(text string) string { return cutLine(text, maxText) }

// cutLine returns a text as one line of at most limit characters.
func cutLine(text string, limit int) string { return plain.Line(markdown.CutRunes(text, limit)) }

// textLimit returns how many characters a text may have in a list of so many items. The limit is maxText for up to 25
// items, and shrinks to a quarter of maxText for long lists.
func textLimit(items int) int {
	const inFull, shortest = 25, maxText / 4
	return max(maxText*inFull/max(items, inFull), shortest)
}

// fit returns the first items of a list whose weights together do not exceed limit, and how many items it leaves out.
func fit[T any](list []T, limit int) ([]T, int) {
	for i, item := range list {
		if limit -= weight(item); limit < 0 {
			return list[:i:i], len(list) - i
		}
	}
	return list, 0
}

// weight returns the length of a value as JSON, in bytes. Bytes outside ASCII count twice: they cost more tokens.
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

type coverageOutput struct {
	Mode              rag.Mode `json:"mode,omitempty"`
	ModeReason        string   `json:"mode_reason,omitempty"`
	RetryAfterSeconds float64  `json:"retry_after_seconds,omitempty"`
	Embedded          *float64 `json:"embedded,omitempty"`
}

// coverageOf says how a search was made, as far as this differs from what the caller asked for.
func coverageOf(coverage rag.Coverage, asked rag.Mode) coverageOutput {
	var out coverageOutput
	if coverage.Embedded != 1 { // round down, because 1 would mean that no vector is missing
		out.Embedded = new(math.Floor(coverage.Embedded*100) / 100)
	}
	if coverage.Mode != cmp.Or(asked, rag.Hybrid) {
		out.Mode = coverage.Mode
	}
	used := "by words"
	if coverage.BuiltIn {
		used = "by words and built-in vectors"
		switch coverage.Embedded {
		case 0:
			out.ModeReason = used + "; vectors of the model follow"
		case 1: // no vector of the model is missing; the search could not use them
			out.ModeReason = used
		default:
			out.ModeReason = "by words and vectors, built-in ones where those of the model follow"
		}
	}
	if coverage.Fallback != nil {
		e := apierror.AsError(coverage.Fallback)
		out.ModeReason = used + ": " + brief(e.Error())
		out.RetryAfterSeconds, _ = e.Details["retry_after_seconds"].(float64)
	}
	return out
}

// externalMinScore is the default threshold for external docs. inOthers also uses it for the handbook.
const externalMinScore = 0.7

// externalThreshold returns the threshold in the config, or else the parameter, or else the default. In other tools the
// parameter wins over the config.
func externalThreshold(active *workspace.Project, parameter *float64) float64 {
	if configured := active.Definition.Config.SemanticSearch.Configured; configured != nil {
		return *configured
	}
	return valueOr(parameter, externalMinScore)
}

// SearchEnd has the fields at the end of every answer to a search.
type SearchEnd struct {
	gradeOutput

	// Message names the best documents below the threshold, or says why nothing is found. It may also name another
	// collection that has a document for the query.
	Message string `json:"message,omitempty"`
	// Closest are the best documents below the threshold. Only the command line shows them, to fill up a short list.
	Closest []UnsureDocument `json:"-"`
	coverageOutput
	Index *IndexStatus `json:"index,omitempty"`
}

// search finds documents of the scope for a search tool. It also returns the fields at the end of the answer.
func (h *Handler) search(
	ctx context.Context, active *workspace.Project, scope catalog.Scope, query rag.Query,
) (rag.Hits, SearchEnd, error) {
	before := active.Status()
	query.Behind = before.Pending() > 0
	hits, err := h.workspace.Searcher.Search(ctx, scope, query)
	if err != nil {
		return rag.Hits{}, SearchEnd{}, err
	}
	hits.MayAnswer = hits.MayAnswer[:min(len(hits.MayAnswer), query.Limit-len(hits.Documents))]
	filtered := query.Filter.Narrows()
	other, answered := h.elsewhere(ctx, active, scope.Collection, query.Text, hits.Grade, filtered)
	if answered {
		hits.Verdict = hits.BesideAnswer()
	}
	message := ""
	switch hits.Grade {
	case rag.Answers:
	case rag.MayAnswer:
		message = unsureMessage(hits.MayAnswer, query.MinScore)
	default:
		message = nothingFound(active, before, scope.Collection, hits.Empty(), filtered)
	}
	return hits, SearchEnd{
		gradeOutput: gradeOf(hits.Grade, hits.MayAnswer), Message: message + other,
		Closest: unsureDocuments(hits.Closest), coverageOutput: coverageOf(hits.Coverage, query.Mode),
		Index: indexOfHits(active, before, scope.Collection, hits.Fallback != nil, hits.Documents, hits.MayAnswer, hits.Closest),
	}, nil
}

// unsureMessage says that no document reaches the minimum score, and names the best three documents.
func unsureMessage(mayAnswer []rag.Hit, minScore float64) string {
	const most = 3
	var names []string
	for _, hit := range mayAnswer[:min(len(mayAnswer), most)] {
		strength := rank.Strength(hit.Score)
		if mark := hit.Mark(); mark != "" {
			strength = brief(mark) + ", " + strength
		}
		names = append(names, fmt.Sprintf("%s (%s, %g)", brief(wirePath(hit.Path)), strength, floor(hit.Score)))
	}
	if more := len(mayAnswer) - most; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("No document reaches %g. Best: %s.", minScore, strings.Join(names, ", "))
}

// floor rounds a score down to three digits, so that a score below a minimum never looks equal to the minimum.
func floor(score float64) float64 { return math.Floor(score*1000) / 1000 }

type gradeOutput struct {
	Grade     rag.Grade        `json:"grade"`
	MayAnswer []UnsureDocument `json:"may_answer,omitempty"`
}

// gradeOf returns the grade of a search, and the documents that may answer, bounded by maxSideList.
func gradeOf(grade rag.Grade, mayAnswer []rag.Hit) gradeOutput {
	list, _ := fit(unsureDocuments(mayAnswer), maxSideList)
	return gradeOutput{grade, list}
}

// UnsureDocument is a document that may answer a query, or one that is similar to a document just indexed.
type UnsureDocument struct {
	Path           string  `json:"path"`
	Title          string  `json:"title"`
	RelevanceScore float64 `json:"relevance_score"`
	Status         string  `json:"status,omitempty"`
	BestPassage
	Snippet string `json:"snippet,omitempty"`
}

// maxSnippets is how many results have a snippet for clients. A list of more unsure documents has no snippet at all.
const maxSnippets = 5

func unsureDocuments(hits []rag.Hit) []UnsureDocument {
	var out []UnsureDocument
	for _, hit := range hits {
		d := UnsureDocument{
			Path: wirePath(hit.Path), Title: brief(hit.Title), RelevanceScore: floor(hit.Score), Status: brief(hit.Mark()),
			BestPassage: bestPassageOf(hit, maxText),
		}
		if len(hits) <= maxSnippets {
			d.Snippet = plain.Line(hit.Snippet)
		}
		out = append(out, d)
	}
	return out
}

// nothingFound returns the message of an answer without a document. old is the index's status before the search.
func nothingFound(
	active *workspace.Project, old workspace.IndexStatus, of catalog.Collection, empty, filtered bool,
) string {
	folder := active.Definition.PlacesText()
	if of == catalog.External {
		folder = active.Definition.Config.ExternalDocs.Path
	}
	isRead := !old.Synced.IsZero() && old.Pending() == 0 && (!empty || old.Waiting == "")
	left := ""
	if old.Total > 0 {
		left = fmt.Sprintf(" (%d left)", old.Pending())
	}
	switch {
	case !isRead && old.Waiting != "":
		return fmt.Sprintf("The documents are not read yet%s: %s.", left, strings.TrimSuffix(brief(old.Waiting), "."))
	case !isRead: // a document may still be found later
		return fmt.Sprintf("The documents are being read%s: ask again in a moment.", left)
	case empty:
		return fmt.Sprintf("There is no document to search in %s.", plain.Path(folder))
	case filtered:
		return "Nothing found in the documents asked for."
	default:
		return "Nothing found."
	}
}

// maxQuestion limits the length of a stored question, in characters.
const maxQuestion = 300

// elsewhere is called after a search in one collection. If no document reached the threshold, it searches the other
// collections. message is a sentence about a collection that has a document for the query, or "". answered reports
// whether this document reaches the threshold.
//
// elsewhere also keeps the list of unanswered questions. It adds a question about the project that no collection
// answers, unless the user's settings forbid that. It removes a question that has an answer now.
func (h *Handler) elsewhere(
	ctx context.Context, active *workspace.Project, searched catalog.Collection, text string, grade rag.Grade, filtered bool,
) (message string, answered bool) {
	root, question := active.Definition.Root, markdown.CutRunes(text, maxQuestion)
	var err error
	switch {
	case grade == rag.Answers:
		err = h.recalls.ForgetQuestion(ctx, root, question)
	case !filtered:
		message, answered = h.inOthers(ctx, active, searched, text)
		isLost := message == "" && grade == rag.Nothing && searched == catalog.Compounding
		if isLost && h.workspace.Settings.KeepQuestions {
			err = h.recalls.AddQuestion(ctx, root, question, time.Now().UTC())
		}
	}
	if err != nil {
		h.logger.DebugContext(ctx, "keep or forget a question", "error", err)
	}
	return message, answered
}

// inOthers searches all collections except the searched collection. It returns the results of elsewhere.
func (h *Handler) inOthers(
	ctx context.Context, active *workspace.Project, searched catalog.Collection, text string,
) (message string, answered bool) {
	answers := func(scope catalog.Scope, minScore float64, who, tool string) (string, bool) {
		hits, err := h.workspace.Searcher.Search(ctx, scope, rag.Query{Text: text, Limit: 1, MinScore: minScore})
		found := slices.Concat(hits.Documents, hits.MayAnswer)
		if err != nil || len(found) == 0 || found[0].Score < relevance.Likely {
			return "", false
		}
		verb := "have"
		if len(hits.Documents) == 0 {
			verb = "may have"
		}
		return fmt.Sprintf(" The %s %s it, with a relevance of %g: %s.",
			who, verb, floor(found[0].Score), h.words(apierror.Call{Tool: tool})), len(hits.Documents) > 0
	}
	other := ""
	switch {
	case searched == catalog.External:
		minScore := active.Definition.Config.SemanticSearch.MinRelevanceScore
		other, answered = answers(active.Compounding(), minScore, "project's own documents", "semantic_search")
	case active.Definition.Config.ExternalDocs != nil:
		other, answered = answers(active.External(), externalThreshold(active, nil), "external docs", "search_external_docs")
	}
	if other != "" {
		return other, answered
	}
	edition, err := h.workspace.Handbook(ctx)
	if err != nil || edition == (index.HandbookEdition{}) {
		return "", false
	}
	return answers(edition.Scope(), externalMinScore, "pages of the handbook", "search_handbook")
}
