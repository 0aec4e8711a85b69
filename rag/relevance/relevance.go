// Package relevance combines what is known of a passage into one score. It is a
// pure function of the evidence: it knows no query, no other passage and no
// index.
package relevance

import "math"

// Weights of the evidence, chosen for nDCG@10 on Cranfield | CACM with static
// word vectors (passages of 250 words; vectors alone .305 | .328, words alone
// .391 | .497, so the weak side is the vectors):
//
//	word weight      .5            .6            .7
//	without phrases  .381 | .416   .385 | .434   .393 | .454
//
// and with the relevant documents moved nearer by a tenth of their distance
// (vectors alone .455 | .532): .474 | .612, .477 | .610, .477 | .608; by a fifth
// (.619 | .771): .578 | .779, .569 | .764, .556 | .748.
const (
	// wordWeight is what all of a query's terms count beside a cosine.
	wordWeight = 0.7
	// wordWeightAlone is what they count without one: then a passage with
	// three quarters of the evidence scores .76, and no other score changes order.
	wordWeightAlone = 0.8
	// phraseWeight is what a name or a short query counts that stands there to the
	// letter.
	phraseWeight = 0.5
	// Prior stands for the cosine where it is not known: what a query and a
	// passage that have nothing to do with each other have in models of the kind
	// of mxbai-embed-large.
	Prior = 0.4
)

// Evidence is what is known of a passage with respect to a query.
type Evidence struct {
	// Cosine is the similarity of the vectors, and nil where either is missing.
	Cosine *float64
	// Share is how much of the query's terms the passage has, in [0,1].
	Share float64
	// Phrase is how much of what the query asks for to the letter it has, in
	// [0,1].
	Phrase float64
}

// Score returns the passage's relevance, in [0,1]. It takes the kinds of evidence
// as independent reasons to believe, any of which suffices (a noisy-or):
// 1 − (1 − cosine)·(1 − w·share)·(1 − v·phrase). So it is never below the cosine,
// is the cosine where no word matches, and grows with each kind. Values out of
// range count as the nearest that is in range, and NaN as none.
func (e Evidence) Score() float64 {
	cosine, words := Prior, wordWeightAlone
	if e.Cosine != nil {
		cosine, words = unit(*e.Cosine), wordWeight
	}
	share, phrase := unit(e.Share), unit(e.Phrase)
	if share == 0 && phrase == 0 {
		return cosine // to the last bit
	}
	return max(cosine, unit(1-(1-cosine)*(1-words*share)*(1-phraseWeight*phrase)))
}

func unit(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return min(max(x, 0), 1)
}
