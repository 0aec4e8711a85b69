package hooks

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/hooks/quoted"
	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
)

// onRead returns the documents that name what a file defines. Critical ones wait for the edit, which they stop.
func (p Project) onRead(ctx context.Context, file string) ([]candidate, error) {
	if file == "" || p.IsDocument(file) {
		return nil, nil
	}
	found, err := p.naming(ctx, file, "")
	return slices.DeleteFunc(found, func(c candidate) bool { return c.Level == catalog.Critical }), err
}

// naming returns the documents that name what a file defines, or a text that is written to it.
func (p Project) naming(ctx context.Context, file, text string) ([]candidate, error) {
	var found []candidate
	documents, book := p.Cited(ctx)
	named := book.Code(file, p.Text(file)+"\n"+text)
	for _, m := range named[:min(len(named), maxCandidates)] {
		naming, err := p.passages(ctx, documents, []quoted.Match{m}, "names "+m.Text)
		if err != nil {
			return nil, err
		}
		found = append(found, naming...)
	}
	return found, nil
}

// onEdit returns the documents that cite a file, critical ones first, those that name what it defines, and then those
// that warn of something in the text that is written to it. A document of the project's own needs none.
func (p Project) onEdit(ctx context.Context, file, text string) ([]candidate, error) {
	if file == "" || p.IsDocument(file) {
		return nil, nil
	}
	documents, book := p.Cited(ctx)
	found, err := p.citing(ctx, documents, file)
	if err != nil {
		return nil, err
	}
	named, err := p.naming(ctx, file, text)
	if err != nil {
		return nil, err
	}
	rules, err := p.supported(ctx, documents, book.Text(file, text), file+"\n"+text)
	if err != nil {
		return nil, err
	}
	for _, m := range book.Command(scriptIn(file, text)) {
		isKnown := func(other quoted.Match) bool { return other.Document == m.Document }
		if !m.Name && !slices.ContainsFunc(rules, isKnown) {
			rules = append(rules, m)
		}
	}
	warnings, err := p.passages(ctx, documents, rules, "rule on this code")
	return slices.Concat(found, named, warnings), err
}

// scriptIn returns the commands in a file of a shell's language, without comments, and "" for another file.
func scriptIn(file, text string) string {
	if !scriptName().MatchString(file) && !strings.HasPrefix(text, "#!") {
		return ""
	}
	return comment().ReplaceAllString(text, "")
}

var (
	scriptName = lazyregexp.New(`(?i)(?:\.(?:sh|bash|zsh|ps1|mk|bat|cmd)|(?:^|/)(?:Makefile|Justfile))$`)
	comment    = lazyregexp.New(`(?m)^\s*#.*$`)
)

// fewFolders are how many folders a document is about. One that cites more, such as an overview of the project, is about
// no file below them.
const fewFolders = 1

// citing returns the documents that cite a file, critical ones and then later ones first, each with its passage about
// the file. A document that replaces or amends one of them is there in its place, and for the first one so is a
// later document on its subject.
func (p Project) citing(ctx context.Context, documents []index.CitedPlaces, file string) ([]candidate, error) {
	places, cites := map[int64]string{}, p.Citing(ctx, document.Place{Path: file})
	isFolder := func(cited string) bool { return strings.HasSuffix(document.ParsePlace(cited).Path, "/") }
	for _, d := range documents {
		cited := d.Places
		if files := slices.DeleteFunc(slices.Clone(cited), isFolder); len(cited) > len(files)+fewFolders {
			cited = files
		}
		i := slices.IndexFunc(cited, func(place string) bool { return cites(document.ParsePlace(place)) })
		if i >= 0 {
			places[d.ID] = cited[i]
		}
	}
	if len(places) == 0 {
		return nil, nil
	}
	hits, err := p.Search(ctx, catalog.Scope{Tenant: p.Tenant, Collection: catalog.Compounding}, rag.Query{
		Text: file, Mode: rag.Lexical, Limit: 2 * len(places), Filter: rag.Filter{Documents: slices.Collect(maps.Keys(places))},
	})
	var found []candidate
	for _, hit := range hits.Documents {
		c := candidate{Hit: hit, why: "cites " + places[hit.ID]}
		c.Score = 1 // it was not found by its score
		earlier := slices.IndexFunc(hits.Documents, func(other rag.Hit) bool { return other.Successor() == hit.Path })
		switch {
		case slices.ContainsFunc(hits.Documents, func(other rag.Hit) bool { return other.Path == hit.Successor() }):
			continue
		case places[hit.ID] == "" && earlier >= 0:
			old := hits.Documents[earlier]
			c.why = "replaces or amends ./" + old.Path + ", which cites " + places[old.ID]
		}
		found = append(found, p.withNotes(ctx, catalog.Compounding, c))
	}
	if err != nil || len(found) == 0 {
		return nil, err
	}
	slices.SortStableFunc(found, func(a, b candidate) int {
		rank := func(c candidate) int { return slices.Index(catalog.Levels(), c.Level) }
		return cmp.Or(rank(b)-rank(a), cmp.Compare(b.Date, a.Date), cmp.Compare(a.Path, b.Path))
	})
	found[0], err = p.orLater(ctx, found[0])
	return found, err
}

// orLater returns the later document on the subject of one that cites a file, or else that one.
func (p Project) orLater(ctx context.Context, citing candidate) (candidate, error) {
	hits, err := p.Search(ctx, catalog.Scope{Tenant: p.Tenant, Collection: catalog.Compounding},
		rag.Query{Text: citing.Title, Mode: rag.Lexical, Limit: maxCompared})
	if err != nil {
		return candidate{}, err
	}
	for _, hit := range hits.Documents {
		if hit.ID != citing.ID || hit.Newer == "" {
			continue
		}
		citing.Newer = hit.Newer
		later := slices.IndexFunc(hits.Documents, func(other rag.Hit) bool { return other.Path == hit.Newer })
		if later >= 0 {
			hits.Documents[later].Score = 1
			return candidate{Hit: hits.Documents[later], why: citing.why + " in ./" + citing.Path + ", which is earlier"}, nil
		}
	}
	return citing, nil
}
