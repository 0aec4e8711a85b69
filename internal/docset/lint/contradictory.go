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
	maxPostings = 50 // a word of more passages does not make them similar
	maxCompared = 5  // passages for each subject of a document
)

// checkContradictions finds pairs of documents that may contradict each other. The subject of one, which is
// its front matter or the beginning of its text, has the words of a passage of the other. Their dates or
// doc-types differ, and neither supersedes the other. A reader must judge them. The finding belongs to the
// later document.
func (e *examination) checkContradictions() {
	all := newPassages(e.set)
	weight := func(term string) float64 { return terms.IDF(len(all.with[term]), len(all.passages)) }
	type pair struct{ later, earlier *docset.Document }
	type match struct {
		later, earlier *passage
		likeness       float64
	}
	best := map[pair]match{}
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
			if likeness >= terms.SameSubject && likeness > best[of].likeness {
				best[of] = match{later, earlier, likeness}
			}
		}
	}
	for _, m := range best {
		e.add(m.later.document, m.later.StartLine, Notice, "contradictory", fmt.Sprintf(
			"it may contradict %s:%d (%s); if it does, correct one of them, or have this one supersede the other",
			m.earlier.document.Path, m.earlier.StartLine, m.earlier.document.Date))
	}
}

type passage struct {
	index.DissectedPassage

	document *docset.Document
	subject  bool // it says what the document is about
	at       int  // in passages: several may begin in one long line
}

// passages are those of documents that hold.
type passages struct {
	passages []*passage
	with     map[string][]*passage // by term
}

func newPassages(set *docset.Set) passages {
	standings, _ := set.Standings()
	all := passages{with: map[string][]*passage{}}
	for _, d := range set.Documents {
		if !standings.Of(d.Path, "").Holds() {
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

// nearest returns the passages of other documents that share the most weight of rarer words with p. It
// compares no front matter with front matter, which shares the words of the doc-type.
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
