package rag

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pgvector/pgvector-go"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

//go:embed answer.prompt.md
var systemPrompt string

// What of the context window is kept free for the answer, and how many critical
// documents are considered for one.
const (
	answerTokens = 1024
	answerShare  = 4 // of a small window, the part for the answer
	maxCritical  = 20
)

// Question asks for an answer from the documents.
type Question struct {
	Query // Levels must be empty; see MinLevel.
	// MinLevel is the lowest level of the documents used.
	MinLevel Level
	// IncludeCritical puts critical documents in front whatever their score.
	IncludeCritical bool
	// MaxDepth and MaxLinked bound the documents that are reached over links; 0
	// follows none.
	MaxDepth, MaxLinked int
	// OnText, if not nil, is called with each piece of the answer as it is written.
	OnText func(text string)
}

// Answer is an answer with what it was drawn from.
type Answer struct {
	Text string
	// Sources are the critical documents first, then by relevance.
	Sources []Hit
	Linked  []Linked
	// Closest is set when no document reached the threshold.
	Closest *Hit
	// Extractive says why the text is quoted passages instead of a written
	// answer, and is nil for a written one.
	Extractive error
}

// Ask answers a question from the documents of the scope. Nothing is generated
// when no document is relevant enough, and when the language model fails the
// best passages are quoted instead.
func (l *Library) Ask(ctx context.Context, scope Scope, question Question) (Answer, error) {
	question.Levels = slices.DeleteFunc(Levels(), func(level Level) bool { return rank(level) < rank(question.MinLevel) })
	vector, err := l.queryVector(ctx, scope.Tenant, question.Text)
	if err != nil {
		return Answer{}, err
	}
	hits, err := l.searchVector(ctx, scope, question.Query, vector)
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{Sources: hits.Documents, Closest: hits.Closest, Linked: []Linked{}}
	if question.IncludeCritical {
		if answer.Sources, err = l.withCritical(ctx, scope, question, answer.Sources, vector); err != nil {
			return Answer{}, err
		}
	}
	if len(answer.Sources) == 0 {
		answer.Text = nothingFound(hits.Closest, question.MinScore)
		return answer, nil
	}
	origins := linkOrigins(answer.Sources)
	if answer.Linked, err = l.follow(ctx, scope.Tenant, origins, question.MaxDepth, question.MaxLinked); err != nil {
		return Answer{}, err
	}
	return l.write(ctx, scope, question, answer, vector)
}

// linkOrigins returns the paths of the sources in the order in which their links
// are followed: by relevance alone, since a critical one may be here for none.
func linkOrigins(sources []Hit) []string {
	ordered := slices.Clone(sources)
	slices.SortStableFunc(ordered, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	paths := make([]string, len(ordered))
	for i, hit := range ordered {
		paths[i] = hit.Path
	}
	return paths
}

func rank(level Level) int { return slices.Index(Levels(), level) }

func nothingFound(closest *Hit, minScore float64) string {
	if closest == nil {
		return "There are no documents to answer from."
	}
	return fmt.Sprintf("No document is relevant enough to answer from: the closest is ./%s with a relevance of %.2f, below "+
		"the minimum of %.2f. Ask with a lower min_relevance_score to use it.", closest.Path, closest.Score, minScore)
}

// withCritical puts the critical documents in front of the sources.
func (l *Library) withCritical(
	ctx context.Context, scope Scope, question Question, sources []Hit, vector pgvector.HalfVector,
) ([]Hit, error) {
	critical := question.Query
	critical.Levels, critical.Limit, critical.MinScore = []Level{Critical}, maxCritical, 0
	found, err := l.searchVector(ctx, scope, critical, vector)
	if err != nil {
		return nil, err
	}
	others := slices.DeleteFunc(sources, func(hit Hit) bool { return hit.Level == Critical })
	return append(found.Documents, others...), nil
}

// write generates the answer text.
func (l *Library) write(
	ctx context.Context, scope Scope, question Question, answer Answer, vector pgvector.HalfVector,
) (Answer, error) {
	sources, err := l.sources(ctx, scope, answer, vector)
	if err != nil {
		return Answer{}, err
	}
	window := l.generator.ContextWindow(ctx)
	budget := window - min(answerTokens, window/answerShare) -
		markdown.EstimateTokens(systemPrompt) - markdown.EstimateTokens(question.Text)
	quotes := fit(sources, budget)
	prompt := ollama.Prompt{
		System: systemPrompt,
		User:   promptText(quotes) + "\nQuestion: " + question.Text,
	}
	answer.Text, err = l.generator.Generate(ctx, prompt, question.OnText)
	if err != nil {
		if ctx.Err() != nil {
			return Answer{}, err
		}
		l.logger.WarnContext(ctx, "quote passages instead of an answer", "error", err)
		if errors.Is(err, ollama.ErrInputTooLong) {
			err = fmt.Errorf("%w; %s", err, widerWindow)
		}
		answer.Text, answer.Extractive = extract(quotes), err
	}
	answer.keepQuoted(quotes)
	return answer, nil
}

// keepQuoted leaves out the documents of which nothing fitted the context: they
// are not what the answer was drawn from.
func (a *Answer) keepQuoted(quotes []quote) {
	unused := func(id int64) bool {
		return !slices.ContainsFunc(quotes, func(q quote) bool { return q.source.id == id })
	}
	a.Sources = slices.DeleteFunc(a.Sources, func(hit Hit) bool { return unused(hit.id) })
	a.Linked = slices.DeleteFunc(a.Linked, func(link Linked) bool { return unused(link.id) })
}

// sources reads the texts of the documents, in the order of the context.
func (l *Library) sources(
	ctx context.Context, scope Scope, answer Answer, vector pgvector.HalfVector,
) ([]source, error) {
	sources := make([]source, 0, len(answer.Sources)+len(answer.Linked))
	for _, hit := range answer.Sources {
		note := "relevant to the question"
		if hit.Level == Critical {
			note = "critical: always to be considered"
		}
		sources = append(sources, source{id: hit.id, path: hit.Path, title: hit.Title, note: note})
	}
	for _, link := range answer.Linked {
		sources = append(sources, source{id: link.id, path: link.Path, title: link.Title, note: "linked from ./" + link.From})
	}
	ids := make([]int64, len(sources))
	for i, s := range sources {
		ids[i] = s.id
	}
	err := l.db.Read(ctx, "read texts", func(q *db.Queries) error {
		rows, err := q.ChunkTexts(ctx, db.ChunkTextsParams{
			ProjectID: scope.Tenant.projectID, Collection: scope.Collection, DocumentIds: ids, Query: vector,
		})
		for i := range sources {
			sources[i].passages = nil
		}
		for _, row := range rows {
			i := slices.Index(ids, row.DocumentID)
			sources[i].passages = append(sources[i].passages, row)
		}
		return err
	})
	return sources, err
}

// extract quotes the best passage of each document.
func extract(quotes []quote) string {
	if len(quotes) == 0 {
		return errNothingFits.Error()
	}
	var b strings.Builder
	for _, q := range quotes {
		best := slices.MinFunc(q.chosen, func(i, j int) int {
			return cmp.Compare(q.source.passages[i].Distance, q.source.passages[j].Distance)
		})
		p := q.source.passages[best]
		fmt.Fprintf(&b, "./%s, lines %d to %d:\n%s\n\n", q.source.path, p.StartLine, p.EndLine, p.Content)
	}
	return strings.TrimRight(b.String(), "\n")
}

// widerWindow is what to do about a language model whose window is too small.
const widerWindow = "raise generation_context_length in settings.json, " +
	"or set generation_model to a model with a longer context"

var errNothingFits = errors.New("no passage fits the language model's context window; " + widerWindow)
