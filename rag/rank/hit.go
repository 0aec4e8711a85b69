// Package rank orders the passages that a search has found, and says how likely they answer. It is pure: it
// knows no database, no model server and no time.
//
// A search goes through it in three steps. [Question.Weigh] says which words of a query count, [Order] gives
// each document its score and its place, and [Judge] cuts the list and grades it.
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
	// Tags are in one text, separated by "; ".
	Tags          string
	CharCount     int
	DocType, Date string
	// Dated says that Date is from the document itself, not from git or the file.
	Dated bool
	Level catalog.Level
	// HeaderPath, StartLine and EndLine say where the best passage is, Ordinal counts
	// the document's passages from 0, and Content is its text.
	HeaderPath         string
	StartLine, EndLine int
	Ordinal            int
	Content            string
	// Stamp is the stamp of the file whose lines these are.
	Stamp document.Stamp

	// Score is the probability that the document answers the query, by its best passage.
	Score float64
	// Snippet is the part of Content that has most of the query's words, in one line.
	Snippet string
	// Line is the line of a pasted text that decides the score, "" if the whole text decides.
	Line string

	catalog.Standing
	relevance.Evidence

	// LogOdds order passages: the sum of the parts of Evidence, unless a line of a pasted
	// text decides, or the passage has the whole of a short query.
	LogOdds float64
	// Key orders documents.
	Key float64

	comparison

	// named says that the passage has the whole of a short query, or the only word of a query in any
	// of its forms. titled says that the query is the title, the path, the number or a question of the document.
	named, titled bool
	// names is how many rare names of the query the document has, see [rareNames].
	names int
	// inPairs says that the query has only pairs of characters.
	inPairs bool
	// near says that the document may answer, whatever its score.
	near bool
	// paths are the paths of the document and of its copies.
	paths []string
	// generations is how many documents replace this one, one after the other.
	generations int
}

// comparison says how near the vectors of a passage and of the query are. Both fields are NaN if unknown.
type comparison struct {
	distance float64 // cosine distance of the model's vectors
	likeness float64 // cosine of the built-in vectors
}

func (c comparison) byModel() bool { return !math.IsNaN(c.distance) }

// builtIn reports whether the built-in vectors stand in for the model's.
func (c comparison) builtIn() bool { return !c.byModel() && !math.IsNaN(c.likeness) }

// Cosine returns the cosine of the vectors of the query and the passage, nil if they were not compared. Built-in
// vectors stand in for missing vectors of the model.
func (h Hit) Cosine() *float64 {
	switch {
	case h.byModel():
		return new(1 - h.distance)
	case h.builtIn():
		return new(h.likeness)
	default:
		return nil
	}
}

// Candidate is a passage that may answer.
type Candidate struct {
	// Hit describes the passage and its document, without a score.
	Hit

	// Heading is the text of the passage above its Content.
	Heading string
	// Bm25 is the passage's BM25 for the whole query.
	Bm25 float64
	// Distance is the cosine distance of the model's vectors, Likeness the cosine of the built-in ones; NaN if unknown.
	Distance, Likeness float64
	// LineIndex is the index in Question.Lines of the line that has found the passage, -1 for the whole text.
	// LineBm25 is the passage's BM25 for that line.
	LineIndex int
	LineBm25  float64
}

// isQuestion reports whether a passage is a question that its document answers. No search returns
// it: a short question is near to any short prompt, so it counts only beside the document's text.
func (c Candidate) isQuestion() bool { return c.Ordinal < 0 }
