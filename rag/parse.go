package rag

import (
	"cmp"

	"github.com/pgvector/pgvector-go"

	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/lookup"
	"github.com/compound-docs/compound-docs/rag/rank"
	"github.com/compound-docs/compound-docs/rag/terms"
	"github.com/compound-docs/compound-docs/rag/wordvec"
)

// plan is what a search knows of its query before it reads the index.
type plan struct {
	scope catalog.Scope
	query Query // its Mode is set
	// terms are the terms of the query as an English text.
	terms terms.Query
	// lines are the pasted lines in the query, nil for none.
	lines []string
	// meaning is the query's built-in vector, nil for none. Only a hybrid search has it, and not for a text that was
	// pasted as a whole, because words find such a text better.
	meaning *pgvector.HalfVector
}

func newPlan(scope catalog.Scope, query Query) (plan, error) {
	query.Mode = cmp.Or(query.Mode, Hybrid)
	said, lines := terms.Parts(query.Text)
	query.Text = cmp.Or(said, query.Text)
	p := plan{scope: scope, query: query, terms: terms.NewQuery(scope.Tenant.ProjectID, query.Text), lines: lines}
	if len(p.terms.Terms) == 0 && query.Mode == Lexical {
		return plan{}, noWord()
	}
	p.terms.IsPrinted = said == ""
	if query.Mode == Hybrid && said != "" {
		if numbers := wordvec.Vector(query.Text); numbers != nil {
			p.meaning = new(pgvector.NewHalfVector(numbers))
		}
	}
	return p, nil
}

// question returns the query as package rank takes it, with the weights of its words.
func (p plan) question(facts lookup.Facts, v vectors) (rank.Question, error) {
	q := rank.Question{
		Text: p.query.Text, Terms: p.terms, Sample: facts.Sample, Calibration: facts.Calibration, Standings: facts.Standings,
		Today:   catalog.Today(),
		BuiltIn: v.builtIn != nil, EachPassage: p.query.EachPassage, Unasked: p.query.Unasked,
		Newer: p.scope.Collection == catalog.Compounding && !p.query.EachPassage,
	}
	if v.Mode == Vector {
		return q, nil
	}
	vocabulary := terms.NewVocabulary(p.scope.Tenant.ProjectID, facts.Sample.Frequency)
	if !vocabulary.IsEnglish() {
		q.Terms = vocabulary.Query(p.query.Text)
		q.Terms.IsPrinted = p.terms.IsPrinted
		if len(q.Terms.Terms) == 0 && p.query.Mode == Lexical {
			return rank.Question{}, noWord()
		}
	}
	return q.Weigh(vocabulary, p.lines), nil
}

func noWord() error {
	return apierror.Errorf(apierror.InvalidArgument,
		"the query has no word to search for, only such as \"the\" or \"is\", which stand everywhere; "+
			"name what you look for, or leave out %s to search by meaning",
		apierror.Argument{Parameter: "mode", Value: string(Lexical)}).With("parameter", "query")
}
