package rag

import (
	"time"

	"github.com/pgvector/pgvector-go"

	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/lookup"
	"github.com/compound-docs/compound-docs/rag/rank"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// Mode says how a search finds documents.
type Mode string

// The modes. The zero value means Hybrid.
const (
	// Hybrid finds documents by the vectors of the model, and by their words. Built-in vectors, which need no model
	// server, replace missing vectors of the model.
	Hybrid Mode = "hybrid"
	// Vector finds documents by the vectors of the model alone.
	Vector Mode = "vector"
	// Lexical finds documents by their words alone, and needs no Ollama.
	Lexical Mode = "lexical"
)

// Modes returns all modes, the default one first.
func Modes() []Mode { return []Mode{Hybrid, Vector, Lexical} }

// Filter says which documents a search may return.
type Filter = lookup.Filter

// Query asks for the documents most relevant to a text.
type Query struct {
	Text string
	// Mode is Hybrid by default.
	Mode Mode
	Filter
	// Limit is the number of results, at least 1.
	Limit int
	// MinScore is the least score of a result, in [0,1].
	MinScore float64
	// EachPassage asks for all relevant passages, so that a document may occur several times.
	EachPassage bool
	// Critical, if not 0, asks for a separate list of this many critical documents, the most relevant ones. Filter, Limit
	// and MinScore do not apply to the list. With 0, critical documents are results like any other.
	Critical int
	// EmbeddingWait, if not 0, is how long a hybrid search waits for the model's vector of the query, before it goes on
	// without the vector. After that, searches with an EmbeddingWait do without a vector for a minute, or until the late
	// vector arrives.
	EmbeddingWait time.Duration
	// Unasked says that the text was not written as a query, such as a prompt that a hook reads. A document that contains
	// all of a short query is relevant for this reason alone, but not for an unasked text. If the text has at most two
	// words, and no name of code, only a document with this title is relevant.
	Unasked bool
	// Behind says that the index is about to change. The search then first reads the facts about the index, such as the
	// number of its passages, because the facts from the last search would be out of date.
	Behind bool
}

// Hit is a document with its best passage.
type Hit = rank.Hit

// Paths returns the paths of the hits, in their order.
func Paths(hits []Hit) []string {
	paths := make([]string, len(hits))
	for i, hit := range hits {
		paths[i] = hit.Path
	}
	return paths
}

// Grade says how sure a search is that a document answers the query.
type Grade = rank.Grade

// The grades, the best first.
const (
	Answers   = rank.Answers
	MayAnswer = rank.MayAnswer
	Nothing   = rank.Nothing
)

// Hits is the result of a search.
type Hits struct {
	rank.Verdict
	Coverage

	asked    lookup.Request
	passages int // how many passages the search could return, at least 1
}

// Empty reports whether there was no document to search.
func (h Hits) Empty() bool { return h.asked.Facts.Passages() == 0 }

// Scope returns the scope of the search.
func (h Hits) Scope() catalog.Scope { return h.asked.Scope }

// Version returns the version of the tenant's documents during the search. Each change raises the version.
func (h Hits) Version() int64 { return h.asked.Facts.Version }

// Standing says whether the document at a path holds.
func (h Hits) Standing(path string) catalog.Standing {
	return h.asked.Facts.Standings.Of(path, h.asked.Question.Today)
}

// Latest returns the path at the end of the chain of replacements that begins at path. The chain may be path alone.
func (h Hits) Latest(path string) string { return h.asked.Facts.Standings.Latest(path) }

// Coverage says how a search was made.
type Coverage struct {
	// Mode is the mode used. A hybrid search becomes a search by vectors if the query has only words such as "the".
	Mode Mode
	// BuiltIn says that a hybrid search used the built-in vectors for passages that were not
	// compared by vectors of the model.
	BuiltIn bool
	// Embedded is the share of the passages in the scope that have a vector of the present model. It is 1 for a search
	// that compares no vectors of the model.
	Embedded float64
	// Fallback is why a hybrid search had no vector of the model for the query, nil if it had one.
	Fallback error
}

// plan is what a search knows of its query before it reads the index.
type plan struct {
	scope catalog.Scope
	query Query // its Mode is set
	// lines are the pasted lines in the query, nil for none. isPrinted says that the query consists of pasted lines.
	lines     []string
	isPrinted bool
	// meaning is the query's built-in vector. It is nil except in a hybrid search. It is also nil if the whole query was
	// pasted, such as a log, because words find such a text better.
	meaning *pgvector.HalfVector
}

// question returns the query in the form that package rank reads, with the weights of its words. If the query has no
// word to search for, the model's vector alone decides. In a lexical search such a query is an error.
func (p plan) question(facts lookup.Facts, v vectors) (rank.Question, error) {
	vocabulary := terms.NewVocabulary(p.scope.Tenant.ProjectID, facts.Sample.Frequency)
	q := rank.Question{
		Text: p.query.Text, Terms: vocabulary.Query(p.query.Text),
		Sample: facts.Sample, Calibration: facts.Calibration, Standings: facts.Standings, Today: catalog.Today(),
		EachPassage: p.query.EachPassage, Unasked: p.query.Unasked,
		Newer: p.scope.Collection == catalog.Compounding && !p.query.EachPassage,
	}
	q.Terms.IsPrinted = p.isPrinted
	hasWord := len(q.Terms.Terms) > 0
	switch {
	case v.Mode == Vector, v.byModel != nil && !hasWord:
		return q, nil
	case v.Mode == Lexical && !hasWord && p.query.Filter.Documents == nil:
		return rank.Question{}, apierror.Errorf(apierror.InvalidArgument,
			"the query has no word to search for, only such as \"the\" or \"is\", which stand everywhere; "+
				"name what you look for, or leave out %s to search by meaning",
			apierror.Argument{Parameter: "mode", Value: string(Lexical)}).With("parameter", "query")
	default:
		return q.Weigh(vocabulary, p.lines), nil
	}
}
