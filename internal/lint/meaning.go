package lint

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/rag/index"
)

// Means returns what an index knows of the meaning of documents, by their paths. The error
// says why there is nothing to ask.
type Means func(ctx context.Context) (map[string]index.Mean, error)

const (
	// near is how far two near-duplicates may be from each other (1 − cosine), as part of
	// the median distance of the project's documents. That depends on the model and on the
	// subject, so that no cosine serves all. Measured with word vectors on the 60 documents
	// of test/eval: nine of ten documents whose sentences were shuffled, and of which three
	// words in ten were left out, are at .093 of it or nearer. The nearest documents about
	// different things are at .12 (three in a language that the model does not know), and
	// at .25 without these.
	near = 0.1
	// minMeans is the least number of documents that say how far others are.
	minMeans = 3
	// maxSample bounds the pairs of documents that say so.
	maxSample = 2000
)

// checkMeaning finds documents that say nearly the same in other words: those whose mean
// vectors are near each other. Documents that were changed since they were indexed are
// left out.
func (e *examination) checkMeaning(ctx context.Context, means Means) error {
	known, err := means(ctx)
	if err != nil {
		e.report.NoVectors = "near-duplicates in other words were not looked for: " + err.Error()
		return context.Cause(ctx)
	}
	var documents []*docset.Document
	var vectors []*unitVector
	for _, d := range e.set.Documents {
		if mean, ok := known[d.Path]; ok && mean.Hash == sha256.Sum256(d.Content) {
			documents, vectors = append(documents, d), append(vectors, newUnitVector(mean.Vector))
		}
	}
	if len(vectors) < minMeans {
		e.report.NoVectors = fmt.Sprintf("near-duplicates in other words were not looked for: the index has vectors "+
			"of %d documents as they are now", len(vectors))
		return nil
	}
	least := 1 - near*(1-typicalCosine(vectors))
	for i, d := range documents {
		best, likest := least, -1
		for j := range i {
			if cosine, ok := vectors[i].cosine(vectors[j], best); ok && !replaces(d, documents[j]) {
				best, likest = cosine, j
			}
		}
		if likest >= 0 && e.alike[d] != documents[likest] {
			e.add(d, 1, Warning, "near-duplicate", fmt.Sprintf(
				"it says nearly the same as %s (cosine %.2f); merge them, or have the newer one supersede the other",
				documents[likest].Path, best))
		}
	}
	return nil
}

// typicalCosine returns the median cosine of pairs of documents.
func typicalCosine(vectors []*unitVector) float64 {
	var cosines []float64
	n := len(vectors)
	// Documents that are neighbours by their paths may be about one thing: the farthest
	// apart come first.
	for apart := n / 2; apart > 0 && len(cosines)+n <= max(maxSample, n); apart-- {
		for i := range n {
			cosine, _ := vectors[i].cosine(vectors[(i+apart)%n], -1)
			cosines = append(cosines, cosine)
		}
	}
	slices.Sort(cosines)
	return cosines[len(cosines)/2]
}

// blockLength is the number of coordinates after which a comparison may end.
const blockLength = 128

// unitVector is a vector of length 1.
type unitVector struct {
	at []float32
	// rest[i] is the length of what comes after i blocks.
	rest []float64
}

func newUnitVector(of []float32) *unitVector {
	v := &unitVector{at: make([]float32, len(of))}
	length := math.Sqrt(squares(of))
	for i, x := range of {
		v.at[i] = float32(float64(x) / length)
	}
	for from := 0; from < len(v.at); from += blockLength {
		v.rest = append(v.rest, math.Sqrt(squares(v.at[from:])))
	}
	return v
}

func squares(vector []float32) (sum float64) {
	for _, x := range vector {
		sum += float64(x) * float64(x)
	}
	return sum
}

// cosine returns the cosine of two vectors, and false once it is known to be below least:
// what comes after a block adds no more than the product of the lengths of both rests.
func (v *unitVector) cosine(w *unitVector, least float64) (cosine float64, ok bool) {
	if len(v.at) != len(w.at) {
		return 0, false
	}
	for block, rest := range v.rest {
		if cosine+rest*w.rest[block] < least {
			return 0, false
		}
		from, to := block*blockLength, min((block+1)*blockLength, len(v.at))
		var sum float32
		other := w.at[from:to]
		for i, x := range v.at[from:to] {
			sum += x * other[i]
		}
		cosine += float64(sum)
	}
	return cosine, cosine >= least
}
