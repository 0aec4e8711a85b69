// Package relevance combines what is known of a passage into one score. It is a
// pure function of the evidence: it knows no query, no other passage and no
// index.
package relevance

import "math"

// Weights of the evidence. They are chosen for nDCG@10 on Cranfield | CACM, in
// passages of 250 words with static word vectors: vectors alone .305 | .328,
// BM25 .390 | .500. The identifiers are 150 names of public documentation, each
// in one of 330 documents and asked for alone and in a sentence, beside random
// cosines of .48 ± .12: the part of the questions whose document comes first.
//
//	w    v    judged         alone  in a sentence
//	.35  .7   .360 | .411    .69    .67
//	.5   0    .380 | .420    .03    .02
//	.5   .7   .376 | .438    .85    .78
//	.6   .7   .381 | .444    .91    .86
//	.7   0    .393 | .452    .24    .09
//	.7   .5   .390 | .457    .82    .63
//	.7   .7   .389 | .457    .94    .90
//	.7   .8   .389 | .457    .97    .96
//	.75  .8   .392 | .472    .97    .96
//
// Prior and wordWeightAlone say which part of a query's evidence reaches the default
// thresholds of .5 and .7 by words alone. They change no order there. Counted on our own
// questions, Cranfield and CACM: of 12 questions without an answer, and of 816 that were
// asked of another of the collections, those for which nothing reaches .5; of 396 with
// an answer those for which nothing does, and those whose best right document reaches
// .5 and .7.
//
//	prior  w    .5 at  .7 at  12  816  nothing  .5   .7
//	.4     .8   .21    .63    3   319  4        380  266
//	.36    .85  .26    .63    6   427  4        375  266
//	.35    .86  .27    .63    7   451  6        371  265
//	.3     .92  .31    .62    8   527  11       361  268
//	.25    .96  .35    .63    9   589  18       346  266
//	.1     .95  .47    .70    12  708  44       320  233
//
// Stronger vectors want less weight on words. With relevant documents moved
// nearer by a tenth of their distance (vectors alone .455 | .532), w of .5, .6 and
// .7 give .474 | .612, .477 | .610 and .477 | .608 (v 0); by a fifth
// (.619 | .771): .578 | .779, .569 | .764 and .556 | .748.
const (
	// wordWeight is the weight of all of a query's terms beside a cosine.
	wordWeight = 0.7
	// wordWeightAlone is their weight without one: then a passage with
	// three quarters of the evidence scores .77.
	wordWeightAlone = 0.85
	// phraseWeight is the weight of a name or a short query that stands there to the
	// letter.
	phraseWeight = 0.8
	// Prior stands for the cosine where it is not known: about what a query and a
	// passage that have nothing to do with each other have in models of the kind
	// of mxbai-embed-large.
	Prior = 0.36
)

// Evidence holds the signals by which a passage is scored for a query.
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
