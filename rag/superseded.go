package rag

import "slices"

// superseded has the documents of a scope that others replace, as of one version of the
// tenant's documents. It does not change once it is made.
type superseded struct {
	// by gives the path of the latest document that replaces one.
	by map[string]string
	// generations is how many documents replace one, one after the other.
	generations map[string]int
}

// SupersededBy returns the document that replaces each, by their paths, of those for which
// later has some, the latest first. Of documents that replace each other in a circle none
// is replaced.
func SupersededBy(later map[string][]string) map[string]string { return newSuperseded(later).by }

// newSuperseded takes the documents that replace each, the latest first. Of documents
// that replace each other in a circle none is replaced: lint reports them.
func newSuperseded(later map[string][]string) superseded {
	s := superseded{by: make(map[string]string, len(later)), generations: make(map[string]int, len(later))}
	var count func(path string) int
	count = func(path string) int {
		if known, ok := s.generations[path]; ok || len(later[path]) == 0 || replacesItself(later, path) {
			return known
		}
		longest := 0
		for _, replacing := range later[path] {
			longest = max(longest, count(replacing))
		}
		s.generations[path] = longest + 1
		return longest + 1
	}
	for path, replacing := range later {
		if count(path) > 0 {
			s.by[path] = replacing[0]
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
