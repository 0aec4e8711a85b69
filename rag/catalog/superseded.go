package catalog

import (
	"cmp"
	"math"
	"slices"
)

// Superseded has the documents that others replace, by their paths.
type Superseded struct {
	// By gives the path of the latest document that replaces one.
	By map[string]string
	// latest gives the last one of those that replace each other from there on.
	latest map[string]string
	// Generations is how many documents replace one, one after the other.
	Generations map[string]int
}

// NewSuperseded takes the documents that replace each, the latest first. Documents that replace
// each other in a circle are not replaced: lint reports them.
func NewSuperseded(later map[string][]string) Superseded {
	s := Superseded{By: map[string]string{}, latest: map[string]string{}, Generations: map[string]int{}}
	// Tarjan's algorithm: first is the earliest document on the stack that replaces one, over others perhaps.
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
