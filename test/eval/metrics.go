package main

import (
	"cmp"
	"math"
	"slices"
)

// ndcg returns the normalised discounted cumulative gain of the first k documents
// (Järvelin and Kekäläinen, 2002). The gain is the grade and the discount is
// log2(rank + 1), as in trec_eval's ndcg_cut. The result is in [0,1], and 0 if no
// document is relevant. ranking holds ids, best first; a repeated id counts once.
func ndcg(ranking []string, judged judgements, k int) float64 {
	grades := make([]int, 0, len(judged))
	for _, grade := range judged {
		grades = append(grades, grade)
	}
	slices.SortFunc(grades, func(a, b int) int { return cmp.Compare(b, a) })
	ideal := gain(grades, k)
	if ideal == 0 {
		return 0
	}
	found := make([]int, 0, k)
	for _, id := range first(ranking, k) {
		found = append(found, judged[id])
	}
	return gain(found, k) / ideal
}

func gain(grades []int, k int) float64 {
	sum := 0.0
	for i, grade := range grades[:min(k, len(grades))] {
		sum += float64(max(grade, 0)) / math.Log2(float64(i)+2)
	}
	return sum
}

// recall returns the share of the relevant documents that are among the first k, and 0
// if no document is relevant.
func recall(ranking []string, judged judgements, k int) float64 {
	relevant := 0
	for _, grade := range judged {
		if grade > 0 {
			relevant++
		}
	}
	if relevant == 0 {
		return 0
	}
	found := 0
	for _, id := range first(ranking, k) {
		if judged[id] > 0 {
			found++
		}
	}
	return float64(found) / float64(relevant)
}

// reciprocalRank returns one over the rank of the first relevant document among the first k, or 0.
// Its mean over queries is MRR@k.
func reciprocalRank(ranking []string, judged judgements, k int) float64 {
	for i, id := range first(ranking, k) {
		if judged[id] > 0 {
			return 1 / float64(i+1)
		}
	}
	return 0
}

// first returns the first k distinct ids of a ranking.
func first(ranking []string, k int) []string {
	ids := make([]string, 0, min(k, len(ranking)))
	for _, id := range ranking {
		if len(ids) == k {
			break
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// mean returns 0 of no values.
func mean(values []float64) float64 {
	sum := 0.0
	for _, value := range values {
		sum += value
	}
	return sum / float64(max(len(values), 1))
}
