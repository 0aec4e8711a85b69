package markdown

import (
	"strings"
	"unicode"
)

const ellipsis = "…"

// CutRunes shortens s to at most limit runes. The last of them is an ellipsis if s was
// longer.
func CutRunes(s string, limit int) string {
	runes, room := 0, len(s)
	for i := range s {
		if runes == limit-1 {
			room = i
		}
		if runes++; runes > limit {
			return shorten(s, room)
		}
	}
	return s
}

// CutTokens shortens s to at most limit estimated tokens, as [EstimateTokens] counts,
// the ellipsis included.
func CutTokens(s string, limit int) string {
	s = strings.TrimSpace(s)
	if EstimateTokens(s) <= limit {
		return s
	}
	room := 10 * (limit - EstimateTokens(ellipsis))
	var m meter
	for i, r := range s {
		if m.add(r); m.tenths() > room {
			return shorten(s, i)
		}
	}
	return s
}

// shorten cuts s to room bytes and appends an ellipsis. It cuts at the end of a word
// if that leaves more than half of the bytes.
func shorten(s string, room int) string {
	cut := s[:room]
	if space := strings.LastIndexFunc(cut, unicode.IsSpace); space > room/2 && !startsWithSpace(s[room:]) {
		cut = cut[:space]
	}
	return strings.TrimRightFunc(cut, unicode.IsSpace) + ellipsis
}

func startsWithSpace(s string) bool {
	return strings.IndexFunc(s, unicode.IsSpace) == 0
}
