// Package terms turns text into the words that a search compares. It analyses documents and queries alike, weighs the
// terms of a passage for BM25, and reports whether a passage has a query word by word. Everything here is a pure
// function of its arguments: the package knows no database, no model and no file.
//
// A term is a Unicode word (UAX #29) in lower case and without diacritics. Words are replaced by their Snowball stem in
// the language of the text, and stop words are left out. In scripts without spaces between words, each pair of adjacent
// characters is a term. An identifier gives a term for the whole and one for each part: pgx.ErrNoRows becomes
// pgx.errnorows, pgx, errnorow, err and row.
//
// The index stores the terms of passages, and a search compares them with the terms of a query. If [Document] returns
// other terms or weights after a change, every passage must be analysed again.
package terms

import (
	"maps"
	"slices"
)

// Limits for the analysis of one text. A page of base64, or a file pasted as a query, would have too many terms.
const (
	// maxTerms is the largest number of distinct terms of a passage. The terms of the heading come first. A sparsevec of
	// pgvector holds up to 16,000.
	maxTerms = 4096
	// maxQueryTerms is the largest number of distinct terms of a query.
	maxQueryTerms = 256
	// maxWordBytes is the length to which longer words are cut.
	maxWordBytes = 64
	// maxCompoundBytes is the length of the longest identifier that gives a term for the whole. A longer identifier gives
	// terms for its parts only.
	maxCompoundBytes = 128
)

// A text has approximately bytesPerTerm bytes or more for each distinct term, in English and in code.
const bytesPerTerm = 10

// Dimensions is the length of the sparse vectors of terms, the longest that pgvector has. The index of an element,
// counted from 1, is the hash of a term.
const Dimensions = 1_000_000_000

// The parameters of Okapi BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond",
// 2009). The mean length is constant, so that a new passage does not change the weights of other passages. k1 is chosen
// on six judged collections: with 1.2, mean nDCG@10 is .011 lower. On the collections Cranfield and CACM, nDCG@10 is
// .01 and .007 lower if words of headings count once, and no higher if they count three times. It is .01 and .02 lower
// if the length of a passage leaves out stop words.
const (
	k1         = 2
	b          = 0.75
	meanLength = 150
	// maxLength limits how much the length of a passage lowers its weights: a term that occurs once weighs at least .66.
	// The limit changes no score of Cranfield and CACM.
	maxLength = 2 * meanLength
	// headingCount is how often the words of a heading count.
	headingCount = 2
)

// Document returns the distinct terms of a passage as sorted hashes of project and term, and the weight of each term by
// BM25: tf·(k1+1) / (tf + k1·(1 − b + b·len/150)), which is in [.66,3). tf is how often the term occurs, and len is the
// number of words, stop words included. A word of the heading counts twice in tf and in len.
func Document(project int32, language Language, heading, body string) (terms []int32, weights []float32) {
	counts := make(map[int32]int, min(len(body)/bytesPerTerm, maxTerms))
	if language != English {
		counts[hashTerm(project, language.marker())] = 1
	}
	counter := func(times int) func(occurrence) {
		return func(o occurrence) {
			hash := hashTerm(project, o.term)
			if _, known := counts[hash]; known || len(counts) < maxTerms {
				counts[hash] += times
			}
		}
	}
	length := headingCount*analyse(language, heading, counter(headingCount)) + analyse(language, body, counter(1))
	terms = slices.Sorted(maps.Keys(counts))
	weights = make([]float32, len(terms))
	relative := float64(min(length, maxLength)) / meanLength
	for i, hash := range terms {
		tf := float64(counts[hash])
		weights[i] = float32(tf * (k1 + 1) / (tf + k1*(1-b+b*relative)))
	}
	return terms, weights
}

// hashTerm maps a project's term to 1…10⁹, the indexes of a sparsevec. It is FNV-1a with the final mix of MurmurHash3,
// which are both in the public domain. It must not change, because the index stores its results.
func hashTerm(project int32, term string) int32 {
	const offset, prime = 14695981039346656037, 1099511628211
	hash := uint64(offset)
	for shift := 0; shift < 32; shift += 8 {
		hash = (hash ^ uint64(uint32(project)>>shift&0xff)) * prime
	}
	for i := range len(term) {
		hash = (hash ^ uint64(term[i])) * prime
	}
	hash ^= hash >> 33
	hash *= 0xff51afd7ed558ccd
	hash ^= hash >> 33
	hash *= 0xc4ceb9fe1a85ec53
	hash ^= hash >> 33
	return int32(hash%Dimensions) + 1
}

// Distinct returns the distinct terms of a text, in the order of the text. Unlike [Document] and [NewQuery], it does
// not limit their number.
func Distinct(language Language, text string) []string {
	var distinct []string
	known := map[string]bool{}
	analyse(language, text, func(o occurrence) {
		if !known[o.term] {
			known[o.term] = true
			distinct = append(distinct, o.term)
		}
	})
	return distinct
}
