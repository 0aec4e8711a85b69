package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/compound-docs/compound-docs/rag/relevance"
)

// features are multiplied by the fields of a scale.
func (o observation) features() [3]float64 { return [3]float64{o.LogOdds(), o.Rivals(), 1} }

// score is the probability by a scale.
func (o observation) score(s relevance.Scale) float64 {
	f := o.features()
	return relevance.Score(s.Slope*f[0] + s.Crowd*f[1] + s.Base*f[2])
}

// truth is 1 if the document is right.
func (o observation) truth() float64 {
	if o.right {
		return 1
	}
	return 0
}

// weightsOf says how much each observation counts: sets count equally, and in each the sizes. Sets of tasks are one set
// together.
func weightsOf(sample []observation) []float64 {
	type project struct {
		set       string
		documents int
	}
	counts, sizes, tasks := map[project]float64{}, map[string]float64{}, map[string]bool{}
	for _, o := range sample {
		p := project{o.set, o.documents}
		if counts[p] == 0 {
			sizes[o.set]++
		}
		counts[p]++
		if strings.HasPrefix(o.set, "tasks-") {
			tasks[o.set] = true
		}
	}
	weights := make([]float64, len(sample))
	for i, o := range sample {
		weights[i] = 1 / (counts[project{o.set, o.documents}] * sizes[o.set])
		if tasks[o.set] {
			weights[i] /= float64(len(tasks))
		}
	}
	return weights
}

// fitScale fits a scale by logistic regression (Newton's method).
func fitScale(sample []observation) (scale relevance.Scale) {
	weights := weightsOf(sample)
	for range 50 {
		var matrix [3][4]float64 // the second derivatives beside the first
		for k, o := range sample {
			f, p := o.features(), o.score(scale)
			for i := range f {
				for j := range f {
					matrix[i][j] += weights[k] * p * (1 - p) * f[i] * f[j]
				}
				matrix[i][3] += weights[k] * (o.truth() - p) * f[i]
			}
		}
		step := solve(matrix)
		scale = relevance.Scale{Slope: scale.Slope + step[0], Crowd: scale.Crowd + step[1], Base: scale.Base + step[2]}
	}
	return scale
}

// solve solves linear equations whose matrix is positive definite.
func solve(matrix [3][4]float64) (x [3]float64) {
	for i := range matrix {
		for k := range matrix {
			if k == i {
				continue
			}
			factor := matrix[k][i] / matrix[i][i]
			for j := range matrix[k] {
				matrix[k][j] -= factor * matrix[i][j]
			}
		}
	}
	for i := range x {
		x[i] = matrix[i][3] / matrix[i][i]
	}
	return x
}

// printBins prints for each set and range of scores how many first documents have one, their mean score, and the share
// that is right, both weighted as in the fit. Sure and wrong is the share of questions with an answer, and of those
// without, whose first document is wrong and has .5.
func printBins(out io.Writer, fitted, aside []observation, scale relevance.Scale) {
	edges := []float64{0, .1, .3, .5, .7, .8, .9, 1.01}
	sets := map[string][]observation{"all fitted": fitted, "all put aside": aside}
	for _, o := range slices.Concat(fitted, aside) {
		sets[o.set] = append(sets[o.set], o)
	}
	head := []string{"set", "questions"}
	for i := range edges[1:] {
		head = append(head, fmt.Sprintf("from %g", edges[i]))
	}
	printHead(out, append(head, "sure and wrong")...)
	for _, set := range slices.Sorted(maps.Keys(sets)) {
		row := []string{set, strconv.Itoa(len(sets[set]))}
		for i, low := range edges[:len(edges)-1] {
			var count int
			var sum, scores, right float64
			for k, weight := range weightsOf(sets[set]) {
				o := sets[set][k]
				if p := o.score(scale); p >= low && p < edges[i+1] {
					count, sum, scores, right = count+1, sum+weight, scores+weight*p, right+weight*o.truth()
				}
			}
			cell := "–"
			if count > 0 {
				cell = fmt.Sprintf("%d: %.2f → %.2f", count, scores/sum, right/sum)
			}
			row = append(row, cell)
		}
		wrong := map[bool][]bool{}
		for _, o := range sets[set] {
			wrong[o.answered] = append(wrong[o.answered], !o.right && o.score(scale) >= .5)
		}
		printRow(out, append(row, fmt.Sprintf("%.3f, %.3f", share(wrong[true]), share(wrong[false])))...)
	}
}
