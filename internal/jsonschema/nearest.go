package jsonschema

import "strings"

// Limits on what is compared: the length of a word in bytes, and the number of known words.
const longest, mostKnown = 100, 200

// nearest returns the one of known that word is most likely a misspelling of, or "": case, hyphens
// and underscores do not count, and one letter in four may be wrong.
func nearest(word string, known []string) string {
	plain := strings.NewReplacer("_", "", "-", "", " ", "")
	if len(word) > longest {
		return ""
	}
	word = plain.Replace(strings.ToLower(word))
	if word == "" {
		return ""
	}
	limit := len(word) / 4
	if len(word) >= 3 {
		limit = max(limit, 1)
	}
	best, bestDistance := "", limit+1
	for _, k := range known[:min(len(known), mostKnown)] {
		if len(k) > longest {
			continue
		}
		if d := editDistance(word, plain.Replace(strings.ToLower(k))); d < bestDistance {
			best, bestDistance = k, d
		}
	}
	return best
}

// editDistance counts the bytes to insert, delete, replace or swap with their neighbour to make b
// of a (optimal string alignment).
func editDistance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := last[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			row[j] = min(replace, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
