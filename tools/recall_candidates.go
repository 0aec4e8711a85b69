package tools

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/recall"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// candidates returns the documents that an event may need, best first.
func (h *Handler) candidates(ctx context.Context, active *workspace.Project, in RecallInput) ([]recall.Candidate, error) {
	query := rag.Query{
		Limit: recallCandidates, MinScore: h.workspace.Settings().RecallThreshold, Unasked: true, Patience: recallEmbedding,
	}
	switch in.Act() {
	case recall.Asking, recall.Delegating:
		query.Text = in.Prompt
		return h.recallFor(ctx, active, query, "answers this")
	case recall.Running:
		return h.speaking(ctx, active, active.OnCommand(ctx, in.Command), "same command")
	case recall.Failing:
		query.Text, query.Lines, query.Mode = in.Output(), true, rag.Lexical
		found, err := h.speaking(ctx, active, active.OnOutput(ctx, in.Output()), "same error")
		if err == nil && len(found) == 0 {
			found, err = h.recallFor(ctx, active, query, "same error")
		}
		for i := range found {
			found[i].Remedy = remedy(active, found[i].Path)
		}
		return found, err
	case recall.Writing:
		return h.forFile(ctx, active, in)
	default:
		return nil, nil
	}
}

const (
	// recallCandidates bounds a search. The session sees the first document that it does not know.
	recallCandidates = 3
	// recallEmbedding is how long the vector of a prompt is waited for.
	recallEmbedding = 300 * time.Millisecond
)

// recallFor searches for a text.
func (h *Handler) recallFor(
	ctx context.Context, active *workspace.Project, query rag.Query, why string,
) ([]recall.Candidate, error) {
	if query.Text = markdown.CutRunes(query.Text, maxQuery); strings.TrimSpace(query.Text) == "" {
		return nil, nil
	}
	stale := active.Stale(ctx)
	query.Behind = active.Noticed().Pending() > 0
	var found []recall.Candidate
	for _, scope := range h.workspace.RecallScopes(ctx, active) {
		hits, err := h.workspace.Searcher().Search(ctx, scope, query)
		if err != nil {
			return nil, err
		}
		for _, hit := range hits.Documents {
			c := recall.Candidate{Hit: hit, Why: why}
			switch {
			case recall.IsListing(hit.Content):
				continue
			case hit.Phrase > 0:
				c.Why = "same name or error"
			}
			found = append(found, withNotes(active, scope.Collection, stale(), c))
		}
	}
	slices.SortStableFunc(found, func(a, b recall.Candidate) int { return cmp.Compare(b.Score, a.Score) })
	return found, nil
}

// withNotes says what may be wrong with a document.
func withNotes(
	active *workspace.Project, in catalog.Collection, stale map[string]string, c recall.Candidate,
) recall.Candidate {
	if in == catalog.Handbook {
		return c
	}
	if stale[c.Path] != "" && in == catalog.Compounding {
		c.Notes = " It may be outdated: places that it cites have changed."
	}
	if active.Outdated(in, []rag.Hit{c.Hit}) > 0 {
		c.Notes += " It has changed since it was indexed: its lines may be others."
	}
	return c
}

// speaking returns documents that speak of a command or a text, with the passages that do.
func (h *Handler) speaking(
	ctx context.Context, active *workspace.Project, citations []workspace.Citation, why string,
) ([]recall.Candidate, error) {
	stale := active.Stale(ctx)
	var found []recall.Candidate
	for _, c := range citations[:min(len(citations), recallCandidates)] {
		why := why
		switch {
		case c.Match.Text == "":
			why = "cites " + c.Place.Path
		case c.Match.Name:
			why = "same name"
		}
		hits, err := h.bestPassage(ctx, active, c, cmp.Or(c.Match.Text, c.Title))
		if err != nil {
			return nil, err
		}
		for _, hit := range hits {
			hit.Score = 1 // it was not found by the search
			found = append(found, withNotes(active, c.Collection, stale(), recall.Candidate{Hit: hit, Why: why}))
		}
	}
	return found, nil
}

// bestPassage returns the passage of a document that has most of a text's words, if one has any.
func (h *Handler) bestPassage(
	ctx context.Context, active *workspace.Project, c workspace.Citation, text string,
) ([]rag.Hit, error) {
	scope := catalog.Scope{Tenant: active.Tenant, Collection: c.Collection}
	hits, err := h.workspace.Searcher().Search(ctx, scope, rag.Query{
		Text: markdown.CutRunes(text, maxQuery), Mode: rag.Lexical, Limit: 1, EachPassage: true,
		Filter: rag.Filter{Documents: []int64{c.ID}},
	})
	return hits.Documents, err
}

// forFile returns the documents that cite a file which is about to be edited, and those that warn of the
// text that is written.
func (h *Handler) forFile(ctx context.Context, active *workspace.Project, in RecallInput) ([]recall.Candidate, error) {
	name, inside := relativePath(active.Definition.Root, in.FilePath)
	if !inside || isOwn(active, name) {
		return nil, nil
	}
	var found []recall.Candidate
	for _, c := range active.Citing(ctx, document.Place{Path: name}) {
		found = append(found, recall.Candidate{
			Hit: rag.Hit{Path: c.Path, Title: c.Title, Level: c.Level, Score: 1}, Why: "same file",
			Text: recall.Citing(c.Path, c.Title, c.Place.String()),
		})
	}
	if text := in.Written(); text != "" {
		rules, err := h.supported(ctx, active, active.OnText(ctx, text), name+"\n"+text)
		if err != nil {
			return nil, err
		}
		warning, err := h.speaking(ctx, active, rules, "rule on this code")
		return append(found, warning...), err
	}
	return found, nil
}

// leastSupport is the share of a text's other words that a document has which warns of one of its names, and
// moreSupport of one that has the name in its title.
const leastSupport, moreSupport = .05, .1

// supported returns the documents that a text speaks of: it has several of a document's quotes, or one that
// the document warns of with other words of the document.
func (h *Handler) supported(
	ctx context.Context, active *workspace.Project, citations []workspace.Citation, text string,
) (supported []workspace.Citation, err error) {
	for _, c := range citations[:min(len(citations), recallCandidates)] {
		if c.Match.Weight > 1 {
			supported = append(supported, c)
			continue
		}
		least := leastSupport
		if c.Match.Weight < 1 {
			least = moreSupport
		}
		rest := strings.ReplaceAll(text, strings.TrimSuffix(c.Match.Text, "()"), " ")
		hits, err := h.bestPassage(ctx, active, c, rest)
		if err != nil {
			return nil, err
		}
		if len(hits) > 0 && hits[0].Share > least {
			supported = append(supported, c)
		}
	}
	return supported, nil
}

// remedy returns the solution or the root cause in a document's front matter, "" without one.
func remedy(active *workspace.Project, path string) string {
	file, err := active.Read(path)
	if err != nil {
		return ""
	}
	parsed, err := markdown.ParseAny(file.Content)
	if err != nil {
		return ""
	}
	for _, field := range []string{"solution", "root_cause"} {
		if text, ok := parsed.FrontMatter[field].(string); ok && text != "" {
			return text
		}
	}
	return ""
}
