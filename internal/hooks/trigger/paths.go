package trigger

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Edit returns the triggers that match an edit.
func (s *Set) Edit(e Edit) []Match {
	var matches []Match
	text, old := newText(e.New, len(s.edits)), newText(e.Old, len(s.edits))
	isNew := func(pattern string) bool { return text.has(pattern, statementEnd) }
	isGone := func(pattern string) bool { return old.has(pattern, statementEnd) && !isNew(pattern) }
	for _, d := range s.edits {
		matched, isLike := likeAny(d.patterns, e.Path)
		if !isLike || d.isNew != nil && *d.isNew != e.Creates {
			continue
		}
		written, isWritten := firstWhere(d.writes, isNew)
		removed, isRemoved := firstWhere(d.removes, isGone)
		if isWritten && isRemoved && d.holds(func(c condition) bool { return c.isIn(text, e.Path) }) {
			m := d.match(strings.TrimSpace(written + " " + removed))
			m.Text = cmp.Or(m.Text, matched)
			m.Literal += len(strings.ReplaceAll(matched, "*", ""))
			matches = add(matches, m)
		}
	}
	return matches
}

// Scopes returns a match for each document whose scope (a set of patterns) matches a file, the narrowest scope first.
func (s *Set) Scopes(file string) []Match {
	var matches []Match
	for _, scope := range s.scopes {
		if matched, isLike := likeAny(scope.patterns, file); isLike {
			m := scope.match(matched)
			m.Patterns, m.Text = scope.patterns, matched
			m.Literal += strings.Count(matched, "/") * maxDepth
			matches = append(matches, m)
		}
	}
	slices.SortStableFunc(matches, func(a, b Match) int { return cmp.Compare(b.Literal, a.Literal) })
	return matches
}

// maxDepth is the weight of each folder in a scope's pattern. It outweighs the length of any name.
const maxDepth = 1000

// isIn reports whether a text or a path has the condition's words, one directly after the other.
func (c condition) isIn(text *text, file string) bool {
	var words []string
	for _, p := range c {
		words = append(words, strings.Join(p.any, "|"))
	}
	pattern := strings.ToLower(strings.Join(words, " "))
	return text.has(pattern, statementEnd) || strings.Contains(strings.ToLower(file), pattern)
}

// firstWhere returns the first pattern for which isMatch returns true. The second result says whether there is such a
// pattern. It is also true if there are no patterns at all.
func firstWhere(patterns []string, isMatch func(string) bool) (string, bool) {
	for _, pattern := range patterns {
		if isMatch(pattern) {
			return pattern, true
		}
	}
	return "", len(patterns) == 0
}

// cleaned returns patterns of paths with / as separator and without a leading "./".
func cleaned(patterns []string) []string {
	var clean []string
	for _, pattern := range patterns {
		mark := ""
		if strings.HasPrefix(pattern, "!") {
			mark = "!"
		}
		pattern = strings.TrimPrefix(strings.TrimPrefix(strings.ReplaceAll(pattern, `\`, "/"), mark), "./")
		if pattern != "" {
			clean = append(clean, mark+pattern)
		}
	}
	return clean
}

// likeAny returns the first pattern that matches a path. isLike is false without a match, or if one with ! matches.
func likeAny(patterns []string, file string) (matched string, isLike bool) {
	for _, pattern := range patterns {
		excluded, isExclusion := strings.CutPrefix(pattern, "!")
		switch {
		case isExclusion && matchesPath(excluded, file):
			return "", false
		case !isExclusion && !isLike && matchesPath(pattern, file):
			matched, isLike = pattern, true
		}
	}
	return matched, isLike
}

// AreLike reports whether one of the patterns matches a path, and no pattern with ! matches.
func AreLike(patterns []string, file string) bool {
	_, isLike := likeAny(cleaned(patterns), file)
	return isLike
}

// matchesPath reports whether a cleaned pattern matches the path of a file, as in a .gitignore. A pattern without a slash
// applies in any folder. The pattern of a folder applies to everything below the folder.
func matchesPath(pattern, file string) bool {
	rooted := strings.TrimPrefix(pattern, "/")
	if rooted == pattern && !strings.Contains(strings.TrimSuffix(pattern, "/"), "/") {
		rooted = "**/" + pattern
	}
	folder, isFolder := strings.CutSuffix(rooted, "/")
	if isFolder {
		return doublestar.MatchUnvalidated(folder+"/**", file) && !doublestar.MatchUnvalidated(folder, file)
	}
	return doublestar.MatchUnvalidated(rooted, file) || doublestar.MatchUnvalidated(rooted+"/**", file)
}
