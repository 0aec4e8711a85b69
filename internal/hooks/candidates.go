package hooks

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// candidate is a document to which a hook may point.
type candidate struct {
	rag.Hit

	// why says what the document has to do with the event.
	why string
	// named has the words of the document's title or alias that are also in the prompt, or "".
	named string
	// quote is the name, the message or the words of a trigger that led to the document, or "".
	quote string
	// rule is the matching trigger, or "". scope says that the trigger is the document's scope of files.
	rule  string
	scope bool
	// remedy is the sentence to quote, or "" to choose a sentence of the passage. The text notes follows the sentence.
	remedy, notes string
	// line is the pointer to the document. Only [usable] sets it.
	line string
}

// usable returns the candidates to which a hook may point, and sets their line. It leaves out replaced documents. If
// the act is a prompt or the task of a subagent, it also leaves out rejected, deprecated and expired documents.
func usable(of act, found []candidate) []candidate {
	excluded := []catalog.Status{catalog.Replaced}
	if of == asking || of == delegating {
		excluded = append(excluded, catalog.Rejected, catalog.Deprecated, catalog.Expired)
	}
	var all []candidate
	for _, c := range found {
		c.line = c.pointer()
		if c.line != "" && !slices.Contains(excluded, c.Status) {
			all = append(all, c)
		}
	}
	return all
}

const (
	// maxCandidates is how many documents a search returns. One is too few, because the session may already know it.
	maxCandidates = 3
	// maxCompared is how many documents a search compares to find a newer document on a subject.
	maxCompared = 10
	// embeddingWait bounds the wait for the model's vector of a prompt.
	embeddingWait = 300 * time.Millisecond
	// maxQuery bounds a query, in characters.
	maxQuery = 10_000
)

// search returns the documents that may help with a prompt or with the task of a subagent, best first. Nobody asked for
// the search, so the threshold is high. For a prompt, documents below the threshold are for a shortlist.
func (p Project) search(ctx context.Context, e Event) ([]candidate, error) {
	query := rag.Query{
		Text: e.subject(), Limit: maxCandidates, MinScore: p.Settings.RecallThreshold, EmbeddingWait: embeddingWait,
		Unasked: true, Behind: p.Behind,
	}
	if strings.TrimSpace(query.Text) == "" {
		return nil, nil
	}
	if e.act() == asking {
		query.MinScore = min(leastFound, p.Settings.RecallThreshold)
	}
	if e.task() != "" {
		query.Limit = maxFound
	}
	var found []candidate
	for _, scope := range p.RecallScopes(ctx) {
		hits, err := p.Search(ctx, scope, query)
		if err != nil {
			return nil, err
		}
		more := p.named(query.Text, slices.Concat(hits.Documents, hits.Closest))
		for _, hit := range hits.Documents {
			isNamed := slices.ContainsFunc(more, func(c candidate) bool { return c.ID == hit.ID })
			isSuccessor := slices.ContainsFunc(hits.Documents, func(other rag.Hit) bool { return other.Successor() == hit.Path })
			if isNamed || markdown.IsListing(hit.Content) && !isSuccessor {
				continue
			}
			c := candidate{Hit: hit, why: "answers this"}
			if hit.Score < p.Settings.RecallThreshold {
				c.why = "may help with this task"
			}
			if name := nameIn(query.Text, hit); hit.Phrase > 0 && name != "" {
				c.why = "names " + name
			}
			more = append(more, c)
		}
		for _, c := range more {
			found = append(found, p.withNotes(ctx, scope.Collection, c))
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(b.Score, a.Score) })
	return found, nil
}

// nameIn returns the first identifier of a text, such as merge_records, that the passage has too, or "".
func nameIn(text string, hit rag.Hit) string {
	passage := strings.ToLower(hit.Title + "\n" + hit.HeaderPath + "\n" + hit.Content)
	for _, name := range terms.NewQuery(0, text).Identifiers {
		if strings.Contains(passage, name.Name) {
			return name.Name
		}
	}
	return ""
}

// withNotes returns the candidate with notes that say whether the document may be outdated.
func (p Project) withNotes(ctx context.Context, in catalog.Collection, c candidate) candidate {
	if in == catalog.Handbook {
		return c
	}
	if in == catalog.Compounding && p.Stale(ctx, []string{c.Path})[c.Path] != "" {
		c.notes = " It may be outdated: places that it cites have changed."
	}
	if p.Outdated(in, []rag.Hit{c.Hit}) > 0 {
		c.notes += " It has changed since it was indexed: its lines may be others."
	}
	return c
}

// remedyFor returns what a document says to do about the quoted message, or "": the text behind the message, or else
// the field solution or root_cause. If the field symptoms has the message, these two fields come first.
func (p Project) remedyFor(c candidate) string {
	fields := p.frontMatter(c.Path)
	solution, _ := fields["solution"].(string)
	cause, _ := fields["root_cause"].(string)
	inFields := cmp.Or(solution, cause)
	if symptoms := fmt.Sprint(fields["symptoms"]); inFields != "" && strings.Contains(symptoms, c.quote) {
		return inFields
	}
	return cmp.Or(c.behindQuote(), inFields)
}

// frontMatter returns the front matter of a document on disk, or nil if the front matter is missing or unreadable.
func (p Project) frontMatter(path string) map[string]any {
	file, err := p.Read(path)
	if err != nil { // for example, pages of the handbook are not on disk
		return nil
	}
	return markdown.FrontMatter(file.Content)
}

// passage returns candidate c with a hit in document d, which was found without a search. The hit is the passage that
// fits the quote best, or without a quote the first passage of prose. The result is nil if d has left the index.
func (p Project) passage(ctx context.Context, d index.CitedPlaces, c candidate) ([]candidate, error) {
	text := c.quote
	found, err := p.Search(ctx, catalog.Scope{Tenant: p.Tenant, Collection: d.Collection}, rag.Query{
		Text: markdown.CutRunes(cmp.Or(text, d.Title), maxQuery), Mode: rag.Lexical, Limit: maxCandidates, EachPassage: true,
		Filter: rag.Filter{Documents: []int64{d.ID}},
	})
	if err != nil || len(found.Documents) == 0 {
		return nil, err
	}
	hit := found.Documents[0] // it may be of the document's successor
	for _, other := range found.Documents {
		isFirst := text == "" && isProse(other.Content) && (other.StartLine < hit.StartLine || !isProse(hit.Content))
		hasQuote := text != "" && strings.Contains(other.Content, text) && !strings.Contains(hit.Content, text)
		if other.ID == hit.ID && (isFirst || hasQuote) {
			hit = other
		}
	}
	c.Hit, c.Score = hit, 1 // the search did not choose the document, so its score says nothing
	if c.ID != d.ID {
		c.why += " in ./" + d.Path + ", which it replaces or amends"
	}
	return []candidate{p.withNotes(ctx, d.Collection, c)}, nil
}
