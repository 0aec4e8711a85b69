package catalog

import (
	"cmp"
	"math"
	"slices"
)

// Superseded has the documents that others replace, by their paths.
type Superseded struct {
	// By has the path of the latest document that replaces a document.
	By map[string]string
	// latest has the last document of the chain in which each replaces the one before.
	latest map[string]string
	// Generations has the length of the longest such chain after a document.
	Generations map[string]int
}

// NewSuperseded takes the documents that replace a document, by its path, the latest first.
// Documents that replace each other in a circle do not count as replaced: lint reports them.
func NewSuperseded(later map[string][]string) Superseded {
	s := Superseded{By: map[string]string{}, latest: map[string]string{}, Generations: map[string]int{}}
	// Tarjan's algorithm: first has the earliest document on the stack that replaces a document, directly or over others.
	order, first := map[string]int{}, map[string]int{}
	var stack []string
	var visit func(path string)
	visit = func(path string) {
		order[path], first[path] = len(order)+1, len(order)+1
		stack = append(stack, path)
		longest := 0
		for _, replacing := range later[path] {
			if order[replacing] == 0 {
				visit(replacing)
			}
			first[path] = min(first[path], first[replacing])
			longest = max(longest, s.Generations[replacing])
		}
		if first[path] < order[path] {
			return
		}
		isCircle := stack[len(stack)-1] != path || slices.Contains(later[path], path)
		for first[path] != math.MaxInt {
			first[stack[len(stack)-1]] = math.MaxInt
			stack = stack[:len(stack)-1]
		}
		if !isCircle && len(later[path]) > 0 {
			next := later[path][0]
			s.Generations[path], s.By[path], s.latest[path] = longest+1, next, cmp.Or(s.latest[next], next)
		}
	}
	for path := range later {
		if order[path] == 0 {
			visit(path)
		}
	}
	return s
}
