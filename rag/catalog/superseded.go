package catalog

import "slices"

// Superseded has the documents that others replace, by their paths. It does not change once
// it is made.
type Superseded struct {
	// By gives the path of the latest document that replaces one.
	By map[string]string
	// Generations is how many documents replace one, one after the other.
	Generations map[string]int
}

// NewSuperseded takes the documents that replace each, the latest first. Of documents
// that replace each other in a circle none is replaced: lint reports them.
func NewSuperseded(later map[string][]string) Superseded {
	s := Superseded{By: make(map[string]string, len(later)), Generations: make(map[string]int, len(later))}
	var count func(path string) int
	count = func(path string) int {
		if known, ok := s.Generations[path]; ok || len(later[path]) == 0 || replacesItself(later, path) {
			return known
		}
		longest := 0
		for _, replacing := range later[path] {
			longest = max(longest, count(replacing))
		}
		s.Generations[path] = longest + 1
		return longest + 1
	}
	for path, replacing := range later {
		if count(path) > 0 {
			s.By[path] = replacing[0]
		}
	}
	return s
}

// replacesItself reports whether a document is in a circle of those that replace each
// other.
func replacesItself(later map[string][]string, path string) bool {
	seen := map[string]bool{}
	frontier := slices.Clone(later[path])
	for len(frontier) > 0 {
		next := frontier[0]
		frontier = frontier[1:]
		if next == path {
			return true
		}
		if !seen[next] {
			seen[next] = true
			frontier = append(frontier, later[next]...)
		}
	}
	return false
}
