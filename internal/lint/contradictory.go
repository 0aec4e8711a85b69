package lint

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/terms"
)

const (
	// maxPostings is how many passages have a word that leads from one to another.
	maxPostings = 50
	// maxCompared is with how many passages the subject of a document is compared.
	maxCompared = 5
)

// checkContradictions finds pairs of documents that may contradict each other. The subject of one
// (its front matter or the beginning of its text) has the words of a passage of the other. Their
// dates or doc-types differ, and neither supersedes the other. A reader must judge whether they
// really differ. The finding belongs to the later document.
func (e *examination) checkContradictions() {
	all := newPassages(e.set)
	weight := func(term string) float64 { return terms.IDF(len(all.with[term]), len(all.passages)) }
	type pair struct{ later, earlier *docset.Document }
	type likest struct {
		later, earlier *passage
		likeness       float64
	}
	found := map[pair]likest{}
	for _, a := range all.passages {
		if !a.subject {
			continue
		}
		for _, b := range all.nearest(a, weight) {
			later, earlier := a, b
			if a.document.Date < b.document.Date || a.document.Date == b.document.Date && a.document.Path > b.document.Path {
				later, earlier = b, a
			}
			of := pair{later.document, earlier.document}
			likeness := terms.Likeness(a.Terms, b.Terms, weight)
			if likeness >= terms.SameSubject && likeness > found[of].likeness {
				found[of] = likest{later, earlier, likeness}
			}
		}
	}
	for _, of := range found {
		e.add(of.later.document, of.later.StartLine, Notice, "contradictory", fmt.Sprintf(
			"it may contradict %s:%d (%s); if it does, correct one of them, or have this one supersede the other",
			of.earlier.document.Path, of.earlier.StartLine, of.earlier.document.Date))
	}
}

// passage is a passage of a document. subject says that it tells what the document is about.
type passage struct {
	index.DissectedPassage

	document *docset.Document
	subject  bool
	at       int // in passages: several may begin in one long line
}

// passages are those of the documents that hold, and by word those that have it.
type passages struct {
	passages []*passage
	with     map[string][]*passage
}

func newPassages(set *docset.Set) passages {
	later, _ := set.Superseded()
	all := passages{with: map[string][]*passage{}}
	for _, d := range set.Documents {
		if len(later[d.Path]) > 0 {
			continue
		}
		subject := true
		for _, dissected := range d.Passages {
			if dissected.Question {
				continue
			}
			p := &passage{DissectedPassage: dissected, document: d, subject: subject, at: len(all.passages)}
			subject = subject && p.FrontMatter // up to the beginning of the text
			all.passages = append(all.passages, p)
			for _, term := range p.Terms {
				all.with[term] = append(all.with[term], p)
			}
		}
	}
	return all
}

// nearest returns the passages of other documents with most of the weight of the rarer
// words of p. Front matter of two documents has words of their type in common.
func (all passages) nearest(p *passage, weight func(string) float64) []*passage {
	shared := map[*passage]float64{}
	for _, term := range p.Terms {
		if with := all.with[term]; len(with) <= maxPostings {
			rarity := weight(term)
			for _, other := range with {
				shared[other] += rarity
			}
		}
	}
	maps.DeleteFunc(shared, func(other *passage, _ float64) bool {
		a, b := p.document, other.document
		return a == b || a.Date == b.Date && a.DocType == b.DocType || p.FrontMatter && other.FrontMatter
	})
	near := slices.SortedFunc(maps.Keys(shared), func(a, b *passage) int {
		return cmp.Or(cmp.Compare(shared[b], shared[a]), a.at-b.at)
	})
	return near[:min(len(near), maxCompared)]
}
