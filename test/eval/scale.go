package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/compound-docs/compound-docs/rag/relevance"
)

// features are multiplied by the fields of a scale.
func (o observation) features() [4]float64 {
	return [4]float64{o.LogOdds(), o.Crowd, math.Log(float64(max(o.Passages, 1))), 1}
}

// score is the probability by a scale.
func (o observation) score(s relevance.Scale) float64 {
	f := o.features()
	return relevance.Score(s.Slope*f[0] + s.Crowd*f[1] + s.Passages*f[2] + s.Base*f[3])
}

// fitScale fits a scale by logistic regression (Newton's method). Sets count equally, and in each the sizes. Sets of
// tasks are one set together.
func fitScale(sample []observation) relevance.Scale {
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
	var b [4]float64
	for range 50 {
		var matrix [4][5]float64 // the second derivatives beside the first
		for _, o := range sample {
			weight := 1 / (counts[project{o.set, o.documents}] * sizes[o.set])
			if tasks[o.set] {
				weight /= float64(len(tasks))
			}
			f := o.features()
			p := o.score(relevance.Scale{Slope: b[0], Crowd: b[1], Passages: b[2], Base: b[3]})
			right := 0.0
			if o.right {
				right = 1
			}
			for i := range f {
				for j := range f {
					matrix[i][j] += weight * p * (1 - p) * f[i] * f[j]
				}
				matrix[i][4] += weight * (right - p) * f[i]
			}
		}
		if sample[0].Form != relevance.BuiltIn { // the crowd adds nothing
			matrix[1] = [5]float64{1: 1}
		}
		for i, step := range solve(matrix) {
			b[i] += step
		}
	}
	return relevance.Scale{Slope: b[0], Crowd: b[1], Passages: b[2], Base: b[3]}
}

// solve solves linear equations whose matrix is positive definite.
func solve(matrix [4][5]float64) (x [4]float64) {
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
		x[i] = matrix[i][4] / matrix[i][i]
	}
	return x
}

// printBins prints for each set and range of scores how many first documents have one, their mean score, and the share
// that is right. Sure and wrong is the share of questions with an answer, and of those without, whose first document is
// wrong and has .5.
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
			var scores, right []float64
			for _, o := range sets[set] {
				if p := o.score(scale); p >= low && p < edges[i+1] {
					scores, right = append(scores, p), append(right, 0)
					if o.right {
						right[len(right)-1] = 1
					}
				}
			}
			cell := "–"
			if len(scores) > 0 {
				cell = fmt.Sprintf("%d: %.2f → %.2f", len(scores), mean(scores), mean(right))
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
