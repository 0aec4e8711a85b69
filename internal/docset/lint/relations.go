package lint

import (
	"slices"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
)

// checkLinks finds broken links, links that are not returned, and documents without a link. A superseded
// document does not have to link back.
func (e *examination) checkLinks() {
	linked := map[*docset.Document]bool{}
	back := map[[2]*docset.Document]bool{}
	for _, d := range e.set.Documents {
		for _, target := range d.Targets {
			if target.Document != nil {
				linked[d], linked[target.Document] = true, true
				back[[2]*docset.Document{target.Document, d}] = true
			}
		}
	}
	for _, d := range e.set.Documents {
		if d.Err != nil {
			continue
		}
		if !linked[d] {
			e.add(d, 1, Notice, "orphan", "no document links to it, and it links to none")
		}
		told := map[*docset.Document]bool{}
		for _, target := range d.Targets {
			switch other := target.Document; {
			case target.Missing && target.Wiki:
				e.add(d, d.LineOf(target.Path), Warning, "broken-link", "there is no "+target.Path+" in any folder of the documents")
			case target.Missing:
				e.add(d, d.LineOf(target.Path), Error, "broken-link", "there is no "+target.Path)
			case other != nil && target.Relation == "" && !told[other] && !back[[2]*docset.Document{d, other}]:
				told[other] = true
				e.add(d, d.LineOf(target.Path), Notice, "one-way-link", target.Path+" does not link back")
			}
		}
	}
}

// checkSupersession finds documents that supersede each other, and superseded critical ones.
func (e *examination) checkSupersession() {
	for _, d := range e.set.Documents {
		switch {
		case len(e.later[d.Path]) == 0:
		case e.standings.Latest(d.Path) == d.Path:
			e.add(d, d.LineOfField("supersedes"), Error, "supersession-cycle",
				"documents supersede each other in a circle, so none counts as superseded; remove one `supersedes`")
		case d.Level == catalog.Critical:
			for _, path := range e.later[d.Path] {
				e.add(d, d.LineOfField("promotion_level"), Warning, "superseded-rule", path+
					" supersedes it, so it is no rule any more; "+
					"remove its promotion_level, and make that one critical if it is a rule")
			}
		}
	}
}

// checkQuestions finds rules that no question helps to find.
func (e *examination) checkQuestions() {
	isQuestion := func(p index.DissectedPassage) bool { return p.Question }
	for _, d := range e.set.Documents {
		if d.Level == catalog.Critical && len(e.later[d.Path]) == 0 && !slices.ContainsFunc(d.Passages, isQuestion) {
			e.add(d, d.LineOfField("promotion_level"), Notice, "no-questions",
				"a critical document without `questions`; list three that it answers, as somebody asks who does not know the answer")
		}
	}
}
