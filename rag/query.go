package rag

import (
	"github.com/google/uuid"

	"github.com/compound-docs/compound-docs/rag/relevance"
)

// Mode is by what documents are found.
type Mode string

// The modes. The zero value stands for Hybrid.
const (
	// Hybrid finds documents by the meaning of their vectors and by their words.
	Hybrid Mode = "hybrid"
	// Vector finds them by meaning alone.
	Vector Mode = "vector"
	// Lexical finds them by their words alone, and needs no Ollama.
	Lexical Mode = "lexical"
)

// Modes returns all modes, the default one first.
func Modes() []Mode { return []Mode{Hybrid, Vector, Lexical} }

func (m Mode) orDefault() Mode {
	if m == "" {
		return Hybrid
	}
	return m
}

// Query asks for the documents most relevant to a text.
type Query struct {
	Text string
	Mode Mode
	// DocTypes and Levels filter; empty means all.
	DocTypes []string
	Levels   []Level
	// Limit is the number of documents, at least 1.
	Limit int
	// MinScore is in [0,1].
	MinScore float64
}

// Hit is a document with its best passage.
type Hit struct {
	Path, Title, Summary string
	CharCount            int
	DocType, Date        string
	Level                Level
	// Score is the relevance of the best passage to the query, in [0,1].
	Score float64
	// HeaderPath, StartLine and EndLine say where the best passage is.
	HeaderPath         string
	StartLine, EndLine int
	// SupersededBy is the path of the document that replaces this one, "" for none.
	SupersededBy string
	// Snippet is the part of the best passage that has most of the query's words, in
	// one line. Only [Searcher.Search] sets it.
	Snippet string

	// generations is how many documents replace this one, one after the other.
	generations int

	id      int64
	ordinal int
	content string
	hash    uuid.UUID
	// hasVector says that the best passage was compared by its vector.
	hasVector bool
	// evidence has the parts of Score.
	evidence relevance.Evidence
}

// Hits is the result of a search.
type Hits struct {
	// Documents are in order of relevance; promoted ones count as more relevant.
	Documents []Hit
	// Closest is the most relevant document when none reached the threshold, and nil
	// otherwise or when no document comes into question.
	Closest *Hit
	Coverage
}

// Coverage says how a search was made.
type Coverage struct {
	// Mode is the one used: a hybrid search of documents without vectors is lexical,
	// and one for stop words alone is by vector.
	Mode Mode
	// Embedded is the part of the passages in the scope that has a vector of the
	// current model, and 1 for a search that was to compare none.
	Embedded float64
}
