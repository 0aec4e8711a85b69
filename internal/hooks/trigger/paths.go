package trigger

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Edit returns the triggers that match an edit, the most precise first.
func (s *Set) Edit(e Edit) []Match {
	var matches []Match
	text, old := newText(e.New, len(s.edits)), newText(e.Old, len(s.edits))
	for _, t := range s.edits {
		matched, isLike := likeAny(t.patterns, e.Path)
		if !isLike || t.isNew != nil && *t.isNew != e.Creates {
			continue
		}
		said, isWritten := firstIn(t.writes, text)
		if !isWritten {
			continue
		}
		isRemoved := func(pattern string) bool {
			return old.has(pattern, statementEnd) && !text.has(pattern, statementEnd)
		}
		removed, isGone := firstWhere(t.removes, isRemoved)
		if isGone && t.declared.holdsIn(text, e.Path) {
			m := t.declared.match(strings.TrimSpace(said + " " + removed))
			if m.Text == "" {
				m.Text = matched
			}
			m.Literal += len(strings.ReplaceAll(matched, "*", ""))
			matches = add(matches, m)
		}
	}
	return sorted(matches)
}

// Scopes returns a match for each document whose scope has a file, the narrowest scope first.
func (s *Set) Scopes(file string) []Match {
	var matches []Match
	for _, scope := range s.scopes {
		if matched, isLike := likeAny(scope.patterns, file); isLike {
			m := scope.declared.match(matched)
			m.Patterns, m.Text = scope.patterns, matched
			m.Literal = strings.Count(matched, "/")*maxDepth + len(strings.ReplaceAll(matched, "*", ""))
			matches = append(matches, m)
		}
	}
	return sorted(matches)
}

// maxDepth is the weight of each folder in a scope's pattern. It outweighs the characters of any name.
const maxDepth = 1000

// holdsIn reports whether the conditions of a trigger for edits hold. It looks in the new text and in the path.
func (d *declared) holdsIn(text *text, file string) bool {
	for _, c := range d.without {
		if c.isIn(text, file) {
			return false
		}
	}
	for _, c := range d.with {
		if c.isIn(text, file) {
			return true
		}
	}
	return len(d.with) == 0
}

// isIn reports whether a text or a path has the condition's words, one directly after the other.
func (c condition) isIn(text *text, file string) bool {
	var words []string
	for _, p := range c {
		words = append(words, strings.Join(p.any, "|"))
	}
	pattern := strings.ToLower(strings.Join(words, " "))
	return text.has(pattern, statementEnd) || strings.Contains(strings.ToLower(file), pattern)
}

func firstIn(patterns []string, text *text) (string, bool) {
	return firstWhere(patterns, func(pattern string) bool { return text.has(pattern, statementEnd) })
}

// firstWhere returns the first pattern for which holds returns true. It returns false if no pattern fits, but true if
// there are no patterns.
func firstWhere(patterns []string, holds func(string) bool) (string, bool) {
	for _, pattern := range patterns {
		if holds(pattern) {
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

// likeAny returns the first pattern that matches a path. It returns false if none does, or if a pattern with ! does.
func likeAny(patterns []string, file string) (matched string, isLike bool) {
	for _, pattern := range patterns {
		excluded, isExclusion := strings.CutPrefix(pattern, "!")
		switch {
		case isExclusion && IsLike(excluded, file):
			return "", false
		case !isExclusion && !isLike && IsLike(pattern, file):
			matched, isLike = pattern, true
		}
	}
	return matched, isLike
}

// AreLike reports whether one of the patterns matches a path, and no pattern with ! does.
func AreLike(patterns []string, file string) bool {
	_, isLike := likeAny(cleaned(patterns), file)
	return isLike
}

// IsLike reports whether a pattern matches the path of a file, as in a .gitignore. A pattern without a slash applies in
// any folder, and the pattern of a folder to everything below it.
func IsLike(pattern, file string) bool {
	pattern = strings.TrimPrefix(pattern, "./")
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
