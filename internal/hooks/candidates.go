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

// candidate is a document that may be pointed to.
type candidate struct {
	rag.Hit

	// why says what the document has to do with the event.
	why string
	// named are the words of its name that the event has, "" for none.
	named string
	// quote is the code or message of the document for which it is pointed to, "" for none.
	quote string
	// rule names the trigger that matches, "" for none. scope says that it is for the files that the document is about.
	rule  string
	scope bool
	// remedy is the sentence to quote, "" for the best one of the hit. notes follow it.
	remedy, notes string
}

// holdsFor reports whether the document may be pointed to at an act. A replaced document may not. A
// document that was rejected or is no longer valid may, at an act that it speaks of.
func (c candidate) holdsFor(of act) bool {
	switch c.Status {
	case catalog.Replaced:
		return false
	case catalog.Rejected, catalog.Deprecated, catalog.Expired:
		return of != asking && of != delegating
	default:
		return true
	}
}

const (
	// maxCandidates bounds a search. The session sees the first document that it does not know.
	maxCandidates = 3
	// maxCompared is among how many documents a later one on the subject of another is looked for.
	maxCompared = 10
	// embeddingWait bounds the wait for the vector of a prompt.
	embeddingWait = 300 * time.Millisecond
	// maxQuery bounds a query, in characters.
	maxQuery = 10_000
)

// search returns what a search that nobody asked for finds, best first.
func (p Project) search(ctx context.Context, query rag.Query, why string) ([]candidate, error) {
	if strings.TrimSpace(query.Text) == "" {
		return nil, nil
	}
	query.Text = markdown.CutRunes(query.Text, maxQuery)
	query.Limit, query.Unasked, query.Behind = cmp.Or(query.Limit, maxCandidates), true, p.Behind
	query.MinScore = cmp.Or(query.MinScore, p.Settings.RecallThreshold)
	var found []candidate
	for _, scope := range p.RecallScopes(ctx) {
		hits, err := p.Search(ctx, scope, query)
		if err != nil {
			return nil, err
		}
		named := p.named(query.Text, slices.Concat(hits.Documents, hits.Closest))
		others := slices.DeleteFunc(slices.Clone(hits.Documents), func(hit rag.Hit) bool {
			return slices.ContainsFunc(named, func(c candidate) bool { return c.ID == hit.ID }) ||
				markdown.IsListing(hit.Content) && !isSuccessor(hit, hits.Documents)
		})
		for _, hit := range others {
			c := candidate{Hit: hit, why: why}
			if name := nameIn(query.Text, hit); hit.Phrase > 0 && name != "" {
				c.why = "names " + name
			}
			named = append(named, c)
		}
		for _, c := range named {
			found = append(found, p.withNotes(ctx, scope.Collection, c))
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(b.Score, a.Score) })
	return found, nil
}

// nameIn returns the first name in a text that a passage has, such as merge_records, "" for none.
func nameIn(text string, hit rag.Hit) string {
	passage := strings.ToLower(hit.Title + "\n" + hit.HeaderPath + "\n" + hit.Content)
	for _, name := range terms.NewQuery(0, text).Identifiers {
		if strings.Contains(passage, name.Name) {
			return name.Name
		}
	}
	return ""
}

// isSuccessor reports whether a document replaces or amends one of others.
func isSuccessor(hit rag.Hit, others []rag.Hit) bool {
	return slices.ContainsFunc(others, func(other rag.Hit) bool { return other.Successor() == hit.Path })
}

// withNotes says what may be wrong with a document.
func (p Project) withNotes(ctx context.Context, in catalog.Collection, c candidate) candidate {
	if in == catalog.Handbook {
		return c
	}
	if in == catalog.Compounding && p.Stale(ctx)()[c.Path] != "" {
		c.notes = " It may be outdated: places that it cites have changed."
	}
	if p.Outdated(in, []rag.Hit{c.Hit}) > 0 {
		c.notes += " It has changed since it was indexed: its lines may be others."
	}
	return c
}

// remedyFor returns what to do about a message: the solution or the root cause of the document whose symptom it is, or else
// what follows it in the text. It is "" without one.
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

// frontMatter returns the fields of a document as it is on disk, nil if it cannot be read or has none.
func (p Project) frontMatter(path string) map[string]any {
	file, err := p.Read(path)
	if err != nil { // a page of the handbook is not on disk
		return nil
	}
	return markdown.FrontMatter(file.Content)
}

// passage returns the candidate for a document that was found by other means than a search, with its passage that has most of a
// text. It returns false if the index does not have the document any more.
func (p Project) passage(ctx context.Context, d index.CitedPlaces, text, why string) (candidate, bool, error) {
	found, err := p.Search(ctx, catalog.Scope{Tenant: p.Tenant, Collection: d.Collection}, rag.Query{
		Text: markdown.CutRunes(cmp.Or(text, d.Title), maxQuery), Mode: rag.Lexical, Limit: maxCandidates, EachPassage: true,
		Filter: rag.Filter{Documents: []int64{d.ID}},
	})
	if err != nil || len(found.Documents) == 0 {
		return candidate{}, false, err
	}
	hit := found.Documents[0] // it may be of the document's successor
	for _, other := range found.Documents {
		isFirst := text == "" && isProse(other.Content) && (other.StartLine < hit.StartLine || !isProse(hit.Content))
		hasQuote := text != "" && strings.Contains(other.Content, text) && !strings.Contains(hit.Content, text)
		if other.ID == hit.ID && (isFirst || hasQuote) {
			hit = other
		}
	}
	hit.Score = 1 // it was not found by the search
	return p.withNotes(ctx, d.Collection, candidate{Hit: hit, why: because(why, d, hit), quote: text}), true, nil
}

// because returns the reason to point to a document, which may replace or amend the one that matched.
func because(why string, d index.CitedPlaces, hit rag.Hit) string {
	if hit.ID == d.ID {
		return why
	}
	return why + " in ./" + d.Path + ", which it replaces or amends"
}
