package wordvec

import (
	"math"
	"slices"
)

// Closeness says how near a text is to a query. Covered and Cosine are approximately 0 for a text about another
// subject, and 1 for a text with the words of the query.
type Closeness struct {
	// Covered is the share of the query that the text covers. Each piece of a query word counts with its highest cosine to
	// a piece of the text, times a weight. The weight is the squared length of the vector of the query's piece, such as .05
	// for "the" and 2.5 for "database".
	Covered float64
	// Cosine is the cosine of the vectors of the whole texts.
	Cosine float64
	// Pieces is how many distinct pieces the text has. In a text of many pieces, some piece is near the query by accident.
	Pieces int
}

// Sum is Covered plus Cosine, 2 for a text with the words of the query.
func (c Closeness) Sum() float64 { return c.Covered + c.Cosine }

// Query is a query to compare with several texts.
type Query struct {
	pieces []direction
	vector []float32
}

// NewQuery prepares a text as a query.
func NewQuery(text string) Query { return Query{direct(text), Vector(text)} }

// Compare returns the Closeness of a text to the query.
func (q Query) Compare(text string) Closeness {
	said := direct(text)
	if len(q.pieces) == 0 || len(said) == 0 {
		return Closeness{Pieces: len(said)}
	}
	var covered, all float64
	for _, piece := range q.pieces {
		nearest := 0.0
		for _, other := range said {
			nearest = max(nearest, dot(piece.row, other.row)/(piece.length*other.length))
		}
		covered += piece.weight * nearest
		all += piece.weight
	}
	return Closeness{covered / max(all, telling), Cosine(q.vector, Vector(text)), len(said)}
}

// Cosine returns the cosine of two vectors of length 1. It returns 0 if a vector is nil.
func Cosine(a, b []float32) float64 {
	var sum float64
	for i := range min(len(a), len(b)) {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// telling is the total weight from which a query says enough about its subject. With less weight, Covered stays below
// 1. For example, many texts have the words of "never asked before", with a weight of 2.4 in all.
const telling = 3

// Weight says how telling a word in lower case is: "the" .05, "database" 2.5. It is 2 for a word that cannot be cut
// into pieces, such as a word in another script.
func Weight(word string) float64 {
	pieces := cut(word)
	if len(pieces) == 0 {
		return unknown
	}
	var sum float64
	for _, piece := range pieces {
		row := vectorRows[int(piece)*Dimensions:][:Dimensions]
		sum += dot(row, row) * math.Pow(scale(piece), 2)
	}
	return sum / math.Sqrt(float64(len(pieces)))
}

const unknown = 2

// direction is the vector of a piece.
type direction struct {
	row            []byte
	length, weight float64 // the length of the row, and the weight of the piece in a text
}

// direct returns the vectors of the distinct pieces of a text. It leaves out vectors of length 0.
func direct(text string) []direction {
	found := cut(text)
	slices.Sort(found)
	var all []direction
	for _, piece := range slices.Compact(found) {
		row := vectorRows[int(piece)*Dimensions:][:Dimensions]
		length := math.Sqrt(dot(row, row))
		if length > 0 {
			all = append(all, direction{row, length, math.Pow(length*scale(piece), 2)})
		}
	}
	return all
}

// dot returns the dot product of two rows.
func dot(a, b []byte) float64 {
	var sum int32
	for i := range Dimensions {
		sum += int32(int8(a[i])) * int32(int8(b[i]))
	}
	return float64(sum)
}
