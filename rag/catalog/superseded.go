package catalog

// Superseded has the documents that others replace, by their paths.
type Superseded struct {
	// By gives the path of the latest document that replaces one.
	By map[string]string
	// Generations is how many documents replace one, one after the other.
	Generations map[string]int
}

// NewSuperseded takes the documents that replace each, the latest first. Documents that replace
// each other in a circle are not replaced: lint reports them.
func NewSuperseded(later map[string][]string) Superseded {
	s := Superseded{By: make(map[string]string, len(later)), Generations: make(map[string]int, len(later))}
	var count func(path string) int
	count = func(path string) int {
		if known, ok := s.Generations[path]; ok || len(later[path]) == 0 || reaches(later, path, path, map[string]bool{}) {
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

// reaches reports whether one document, or one that replaces it, and so on, is replaced by another.
func reaches(later map[string][]string, from, to string, seen map[string]bool) bool {
	for _, next := range later[from] {
		if next == to {
			return true
		}
		if !seen[next] {
			seen[next] = true
			if reaches(later, next, to, seen) {
				return true
			}
		}
	}
	return false
}
