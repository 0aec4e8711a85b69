// Package rank orders the passages that a search has found, and says how likely it is that they answer. It is pure: it
// knows no database, no model server and no time.
//
// The package has three steps. [Question.Weigh] says which words of a query count. [Order] gives each document its
// score and its place. [Judge] cuts the list and grades it.
package rank

import (
	"math"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/relevance"
)

// Hit is a document with its best passage.
type Hit struct {
	ID                   int64
	Path, Title, Summary string
	// Tags is one text, with "; " between the tags.
	Tags          string
	CharCount     int
	DocType, Date string
	// Dated says that Date is from the document itself, not from git or the file.
	Dated bool
	Level catalog.Level
	// HeaderPath, StartLine and EndLine say where in the document the best passage is. Ordinal is the passage's number,
	// from 0. Content is its text.
	HeaderPath         string
	StartLine, EndLine int
	Ordinal            int
	Content            string
	// Stamp identifies the version of the file that the passage comes from.
	Stamp document.Stamp

	// Score is the probability that the document answers the query, judged by its best passage.
	Score float64
	// Snippet is the part of Content that has most of the query's words, in one line.
	Snippet string
	// Line is the line of a pasted text that decides the score, "" if the whole text decides.
	Line string

	catalog.Standing
	relevance.Evidence

	// LogOdds orders passages. It is first the sum of the parts of Evidence. Then [Order] changes it, for example if a
	// line of a pasted text decides or if the document does not hold.
	LogOdds float64
	// Key orders documents. It is LogOdds, raised for a promoted document.
	Key float64
	// Distance is the cosine distance of the model's vectors of the query and the passage. Likeness is the cosine of the
	// built-in vectors. Each is NaN if unknown.
	Distance, Likeness float64

	// named says that the passage contains a short query completely, or the word of a one-word query in any form. titled
	// says that the query is the title, the path, the number or a question of the document.
	named, titled bool
	// names is how many rare names of the query the document has, see [rareNames].
	names int
	// inPairs says that all terms of the query are pairs of characters, as in Chinese.
	inPairs bool
	// near says that the document may answer although its score is low, see [Question.withNear].
	near bool
	// paths are the paths of the document and of its copies.
	paths []string
	// generations is how many documents have replaced the document, one after the other.
	generations int
}

// byModel reports whether the model's vectors were compared.
func (h Hit) byModel() bool { return !math.IsNaN(h.Distance) }

// builtIn reports whether only the built-in vectors were compared.
func (h Hit) builtIn() bool { return !h.byModel() && !math.IsNaN(h.Likeness) }

// Cosine returns the cosine of the query's and the passage's vectors: the model's if possible, otherwise the built-in
// vectors. It returns nil if no vectors were compared.
func (h Hit) Cosine() *float64 {
	switch {
	case h.byModel():
		return new(1 - h.Distance)
	case h.builtIn():
		return new(h.Likeness)
	default:
		return nil
	}
}

// Candidate is a passage that may answer the query.
type Candidate struct {
	// Hit describes the passage and its document, without a score.
	Hit

	// Heading is the text of the passage above its Content.
	Heading string
	// Bm25 is the passage's BM25 for the whole query.
	Bm25 float64
	// LineIndex is the index in Question.Lines of the pasted line for which the search found the passage, or -1 for the
	// whole text. LineBm25 is the passage's BM25 for that line.
	LineIndex int
	LineBm25  float64
}

// isQuestion reports whether the passage is not text, but a question that the document says it answers. A search does
// not return it, because a short question is near any short prompt. It only counts as evidence.
func (c Candidate) isQuestion() bool { return c.Ordinal < 0 }
