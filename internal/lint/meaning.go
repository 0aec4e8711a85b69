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
	var vectors [][]float32
	for _, d := range e.set.Documents {
		if mean, ok := known[d.Path]; ok && mean.Hash == sha256.Sum256(d.Content) {
			documents, vectors = append(documents, d), append(vectors, unit(mean.Vector))
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
			if cosine := cosine(vectors[i], vectors[j]); cosine >= best && !replaces(d, documents[j]) {
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
func typicalCosine(vectors [][]float32) float64 {
	var cosines []float64
	n := len(vectors)
	// Documents that are neighbours by their paths may be about one thing: the farthest
	// apart come first.
	for apart := n / 2; apart > 0 && len(cosines)+n <= max(maxSample, n); apart-- {
		for i := range n {
			cosines = append(cosines, cosine(vectors[i], vectors[(i+apart)%n]))
		}
	}
	slices.Sort(cosines)
	return cosines[len(cosines)/2]
}

// unit returns a vector of length 1 in the direction of another one.
func unit(of []float32) []float32 {
	var squares float64
	for _, x := range of {
		squares += float64(x) * float64(x)
	}
	v, length := make([]float32, len(of)), math.Sqrt(squares)
	for i, x := range of {
		v[i] = float32(float64(x) / length)
	}
	return v
}

// cosine returns the cosine of two vectors of length 1, and -1 if they are of different models.
func cosine(v, w []float32) float64 {
	if len(v) != len(w) {
		return -1
	}
	var sum float32
	for i, x := range v {
		sum += x * w[i]
	}
	return float64(sum)
}
