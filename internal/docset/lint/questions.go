package lint

import (
	"slices"

	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
)

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
