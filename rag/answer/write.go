package answer

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/relevance"
)

const (
	// extractTokens bounds an answer that consists of quoted passages.
	extractTokens = 4096
	// minRoom is the smallest room for documents, in tokens. With less room, generate does not ask the model again.
	minRoom = 256
)

// write sets the Text of an answer that has sources. It removes the sources that were not quoted. If a removed source
// has text, it is listed in Omitted.
func (a *Answerer) write(ctx context.Context, results rag.Hits, question Question, answer Answer) (Answer, error) {
	sources, err := a.sources(ctx, results, question, answer)
	if err != nil {
		return Answer{}, err
	}
	d := newDelimiter()
	quotes, text, err := a.generate(ctx, sources, d, question)
	if err != nil && ctx.Err() != nil {
		return Answer{}, err
	}
	_, cut := errors.AsType[*model.CutShortError](err)
	switch {
	case cut && strings.TrimSpace(text) != "":
		a.logger.WarnContext(ctx, "an answer was cut short", "error", err)
		answer.CutShort = err
	case err != nil:
		a.logger.WarnContext(ctx, "quote passages instead of an answer", "error", err)
		if errors.Is(err, model.ErrInputTooLong) {
			err = fmt.Errorf("%w; %s", err, widerWindow)
		}
		quotes, _ = fitBest(sources, d, extractTokens)
		text, answer.FallbackReason = extract(quotes), err
	}
	answer.Text = text
	if len(quotes) == 0 {
		answer.Text = "The documents that were found hold no text to answer from."
	}
	quoted := make(map[int64]bool, len(quotes))
	for _, q := range quotes {
		quoted[q.source.ID] = true
	}
	for _, s := range sources {
		if s.hasText() && !quoted[s.ID] {
			answer.Omitted = append(answer.Omitted, s.Path)
		}
	}
	answer.Sources = slices.DeleteFunc(answer.Sources, func(hit rag.Hit) bool { return !quoted[hit.ID] })
	answer.Linked = slices.DeleteFunc(answer.Linked, func(link Linked) bool { return !quoted[link.ID] })
	return answer, nil
}

// generate asks the language model. It returns no quotes and no text if the sources have no text. If the model finds
// the prompt too long, generate asks again with fewer quotes.
func (a *Answerer) generate(
	ctx context.Context, sources []source, d delimiter, question Question,
) ([]quote, string, error) {
	if !slices.ContainsFunc(sources, source.hasText) {
		return nil, "", nil
	}
	window := a.generator.ContextWindow(ctx)
	others := model.AnswerTokens(window) + chatTokens + promptTokens(d.system()) + promptTokens(question.Text)
	for room := window - others; ; room /= 2 { // room is for documents, in tokens
		quotes := fit(sources, d, room)
		if len(quotes) == 0 {
			return nil, "", apierror.Errorf(apierror.InvalidArgument,
				"the language model's context window of %d tokens has no room for a document beside this "+
					"question; ask a shorter question, or "+widerWindow, window)
		}
		shown := &delimiterFilter{delimiter: d, onText: question.OnText}
		text, err := a.generator.Generate(ctx, d.prompt(quotes, question.Text), shown.write)
		shown.end()
		text = strings.TrimSpace(d.clean(text))
		if !errors.Is(err, model.ErrInputTooLong) || room/2 < minRoom {
			return quotes, text, err
		}
		a.logger.WarnContext(ctx, "ask the language model again with a shorter prompt", "tokens", room/2, "error", err)
	}
}

// widerWindow tells the user how to give the language model a larger window.
const widerWindow = "raise generation_context_length in settings.json, " +
	"or set generation_model to a model with a longer context"

// sources reads the passages of the answer's sources and linked documents. The result is in order of priority.
func (a *Answerer) sources(ctx context.Context, results rag.Hits, question Question, answer Answer) ([]source, error) {
	sources := make([]source, 0, len(answer.Sources)+len(answer.Linked))
	var stale map[string]string
	if question.Stale != nil {
		paths := rag.Paths(answer.Sources)
		for _, link := range answer.Linked {
			paths = append(paths, link.Path)
		}
		stale = question.Stale(paths)
	}
	for _, hit := range answer.Sources {
		note := "relevant to the question"
		if answer.Grade == rag.MayAnswer {
			note = "may answer the question: say that this is not sure"
		}
		s := source{Hit: hit, brief: hit.Level == catalog.Critical && hit.Score < relevance.Unrelated}
		if s.isRule() {
			note = "critical"
		}
		s.note = noteOf(note, hit, stale[hit.Path])
		sources = append(sources, s)
	}
	for _, link := range answer.Linked {
		note := "linked from ./" + lastRunes(link.From)
		sources = append(sources, source{Hit: link.Hit, note: noteOf(note, link.Hit, stale[link.Path])})
	}
	ids := make([]int64, len(sources))
	for i, s := range sources {
		ids[i] = s.ID
	}
	passages, err := a.searcher.Passages(ctx, results, ids)
	for _, p := range passages {
		s := &sources[slices.Index(ids, p.ID)]
		s.passages = append(s.passages, p)
	}
	return sources, err
}

// noteOf returns a note for the model: why a document is quoted, its date, and why it may no longer hold.
func noteOf(why string, hit rag.Hit, stale string) string {
	note := why
	if hit.Date != "" {
		note += "; written " + hit.Date
	}
	if mark := hit.Mark(); mark != "" {
		note += "; " + lastRunes(mark)
	}
	if stale != "" {
		note += "; may be outdated: " + markdown.CutRunes(stale, maxLabel)
	}
	return note
}

// remedy matches headings such as Root cause and Solution. remedyFields matches fields with these names.
var remedy = regexp.MustCompile(`(?i)\b(solution|root[ _-]cause)\b`)

var remedyFields = regexp.MustCompile(`(?m)^(solution|root cause): .*$`)

// tellingPassage returns the text to show a person, and its passage. It prefers text about the cause or the solution.
func (q quote) tellingPassage() (text string, p rag.Hit) {
	best := -1
	for i, p := range q.source.passages {
		named := remedy.MatchString(p.HeaderPath) || p.StartLine == 1 && remedyFields.MatchString(p.Content)
		if named && hasText(p) && (best < 0 || p.LogOdds > q.source.passages[best].LogOdds) {
			best = i
		}
	}
	if best < 0 {
		return q.text(q.chosen[0]), q.source.passages[q.chosen[0]]
	}
	p = q.source.passages[best]
	if fields := remedyFields.FindAllString(p.Content, -1); p.StartLine == 1 && len(fields) > 0 {
		return strings.Join(fields, "\n"), p
	}
	return p.Content, p
}

// extract returns the quotes as a text for a person. It leaves out each source with brief set, except the first source.
func extract(quotes []quote) string {
	var b strings.Builder
	for n, q := range quotes {
		if q.source.brief && n > 0 {
			continue
		}
		text, p := q.tellingPassage()
		mark := q.source.Mark()
		if mark != "" {
			mark = ", " + plain.Path(mark)
		}
		fmt.Fprintf(&b, "%s, lines %d to %d%s:\n%s\n\n", plain.Path(catalog.Shown(q.source.Path)), p.StartLine, p.EndLine, mark, text)
	}
	return strings.TrimRight(b.String(), "\n")
}
