package rag

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/pgvector/pgvector-go"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/ollama"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// lookup is a text for which lists of documents are looked up in a scope, with what
// is known for scoring them.
type lookup struct {
	searcher *Searcher
	scope    Scope
	text     string
	mode     Mode // the one asked for, and from begin on the one used
	lists    []*list

	terms      terms.Query
	weights    terms.Weighted
	rare       []int32
	sample     *sample              // nil where words are not looked for
	vector     *pgvector.HalfVector // nil without one
	modelID    *int32
	embedded   float64
	empty      bool // the scope has no passage
	superseded superseded
}

// list is documents that are ranked together.
type list struct {
	query Query
	// vectors are ranked apart from each other; words are one list over all levels.
	vectors []*vectorList
	words   filter
	found   []db.SearchWordsRow // by their words
}

// newList returns a list of documents. Those of the standard level and those above
// it have lists of vectors of their own: promotion changes the order between them and
// not within either.
func newList(scope Scope, query Query) *list {
	l := &list{query: query, words: newFilter(scope, query, Levels())}
	for _, group := range [][]Level{{Standard}, {Important, Critical}} {
		if f := newFilter(scope, query, group); len(f.levels) > 0 {
			l.vectors = append(l.vectors, &vectorList{filter: f})
		}
	}
	return l
}

// newCompleteList returns a list of documents that has those in it too that have no
// word of the query and no vector.
func newCompleteList(scope Scope, query Query) *list {
	all := newFilter(scope, query, Levels())
	return &list{query: query, words: all, vectors: []*vectorList{{filter: all, all: true}}}
}

// newPassageList returns a list of passages of all levels.
func newPassageList(scope Scope, query Query) *list {
	all := newFilter(scope, query, Levels())
	all.eachPassage = true
	return &list{query: query, words: all, vectors: []*vectorList{{filter: all}}}
}

// modelTries is how often a search begins again because the model was replaced
// meanwhile.
const modelTries = 3

// lookUp fills the lists. A vector of another model, one that was pulled just now, is
// not searched with: the next try meets the model that is there then.
func (s *Searcher) lookUp(ctx context.Context, scope Scope, text string, mode Mode, lists ...*list) (*lookup, error) {
	var err error
	for range modelTries {
		l := &lookup{
			searcher: s, scope: scope, text: text, mode: mode.orDefault(), lists: lists,
			terms: terms.NewQuery(scope.Tenant.ProjectID, text),
		}
		if err = l.run(ctx); !errors.Is(err, ErrModelReplaced) {
			return l, err
		}
	}
	return nil, err
}

// run looks up the lists. While the query is embedded, the state of the index is
// read and documents are found by their words.
func (l *lookup) run(ctx context.Context) error {
	if l.mode == Lexical {
		return l.runLexical(ctx)
	}
	model, err := l.searcher.embedder.EmbedModel(ctx)
	if err != nil {
		return withoutOllama(l.scope, err)
	}
	embedding := l.searcher.embed(ctx, l.text)
	defer embedding.end()
	if err := l.begin(ctx, model); err != nil {
		return err
	}
	if l.empty || l.embedded == 0 {
		if err := l.findUnembedded(ctx); err != nil {
			return err
		}
		// The vector is of no use yet, but that Ollama cannot make it is to be said.
		if err := embedding.failure(ctx, failureWait); err != nil {
			return withoutOllama(l.scope, err)
		}
		return nil
	}
	wordsFirst := l.mode == Hybrid && !embedding.ready()
	if wordsFirst {
		if err := l.searcher.db.Pipeline(ctx, "search by words", l.wordQueries(ctx)...); err != nil {
			return err
		}
	}
	if l.vector, err = embedding.vector(model); err != nil {
		return withoutOllama(l.scope, err)
	}
	return l.find(ctx, wordsFirst)
}

// findUnembedded fills the lists of a scope without vectors, which may be empty.
func (l *lookup) findUnembedded(ctx context.Context) error {
	if l.empty {
		return nil
	}
	return l.find(ctx, false)
}

// errNoWords is the error for a query that nothing can be found by.
func errNoWords() *Error {
	return Errorf(InvalidArgument, "the query has no word to search for, only such as \"the\" or \"is\", which stand everywhere; "+
		"name what you look for, or leave out `mode: \"lexical\"` to search by meaning").With("parameter", "query")
}

func (l *lookup) runLexical(ctx context.Context) error {
	if len(l.terms.Terms) == 0 {
		return errNoWords()
	}
	state := &state{memory: l.searcher.memory, scope: l.scope, words: true}
	if err := l.searcher.readState(ctx, state); err != nil {
		return err
	}
	l.embedded, l.superseded = 1, state.superseded
	l.weigh(state.sample)
	return l.find(ctx, false)
}

// begin reads the state of the index, and decides on the mode by it.
func (l *lookup) begin(ctx context.Context, model ollama.Model) error {
	if len(l.terms.Terms) == 0 {
		l.mode = Vector
	}
	state := &state{memory: l.searcher.memory, scope: l.scope, model: &model, words: l.mode == Hybrid}
	for _, list := range l.lists {
		for _, vectors := range list.vectors {
			if vectors.all {
				continue
			}
			vectors.planning = l.searcher.memory.planner.begin(vectors.filter)
			state.plans = append(state.plans, vectors.planning)
		}
	}
	if err := l.searcher.readState(ctx, state); err != nil {
		return err
	}
	l.modelID, l.embedded, l.empty = state.modelID, state.progress.embedded(), state.progress.chunks == 0
	l.superseded = state.superseded
	if l.mode == Hybrid {
		l.weigh(state.sample)
		if l.embedded == 0 {
			l.mode = Lexical
		}
	}
	return nil
}

// weigh fills what words are found and scored by.
func (l *lookup) weigh(sample *sample) {
	l.sample, l.rare = sample, sample.rareTerms(l.terms)
	l.weights = l.terms.Weigh(sample.size, sample.frequency)
	l.terms = l.terms.WithoutCommonIdentifiers(sample.size, sample.frequency)
}

// termVector is the query's side of BM25.
func (l *lookup) termVector() pgvector.SparseVector {
	elements := make(map[int32]float32, len(l.weights.Terms))
	for i, term := range l.weights.Terms {
		elements[term-1] = l.weights.Weights[i] // pgvector-go counts from 0, PostgreSQL from 1
	}
	return pgvector.NewSparseVectorFromMap(elements, terms.Dimensions)
}

// coverage says how the lookup was made.
func (l *lookup) coverage() Coverage { return Coverage{Mode: l.mode, Embedded: l.embedded} }

// notify reports the passages that were found and have no vector yet.
func (l *lookup) notify(hits []Hit) {
	hook := l.searcher.unembedded
	if hook == nil || l.embedded == 1 && l.mode != Lexical {
		return
	}
	var hashes []uuid.UUID
	for _, hit := range hits {
		if !hit.hasVector {
			hashes = append(hashes, hit.hash)
		}
	}
	if len(hashes) > 0 {
		hook(l.scope.Tenant, l.scope.Collection, hashes)
	}
}
