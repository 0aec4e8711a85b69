package trigger

import (
	"index/suffixarray"
	"slices"
	"strings"
)

const (
	// maxGap is how many characters a * in a text stands for.
	maxGap = 200
	// maxPlaces bounds the places of a text that patterns with a * are tried at, all patterns together. A log has a
	// thousandth of them, and hostile triggers would take minutes.
	maxPlaces = 2 << 20
	// statementEnd ends a statement of code.
	statementEnd = ";"
)

// text is a text that is looked through for many patterns, in lower case with one space between its parts.
type text struct {
	folded string
	index  *suffixarray.Index // nil if it would not pay
	left   int                // of maxPlaces
}

// newText returns a text that is compared with so many triggers. Above manyBytes an index of it pays.
func newText(content string, triggers int) *text {
	const manyBytes = 1 << 20
	t := &text{folded: fold(content), left: maxPlaces}
	if len(t.folded)*triggers > manyBytes {
		t.index = suffixarray.New([]byte(t.folded))
	}
	return t
}

// has reports whether the text has a folded pattern, in which * stands for up to maxGap characters, none of which is one of
// stops.
func (t *text) has(pattern, stops string) bool {
	parts := slices.DeleteFunc(strings.Split(pattern, "*"), func(part string) bool { return part == "" })
	isMissing := func(part string) bool { return t.index != nil && len(t.index.Lookup([]byte(part), 1)) == 0 }
	if slices.ContainsFunc(parts, isMissing) {
		return false
	}
	if len(parts) == 1 {
		return strings.Contains(t.folded, parts[0])
	}
	var ends []int // where the parts so far may end
	for i, part := range parts {
		var next []int
		last := -1 // the end of the parts before that is nearest
		for at := strings.Index(t.folded, part); at >= 0 && t.left > 0; at = indexFrom(t.folded, part, at+1) {
			t.left--
			for len(ends) > 0 && ends[0] <= at {
				last, ends = ends[0], ends[1:]
			}
			isNear := last >= 0 && at-last <= maxGap && !strings.ContainsAny(t.folded[last:at], stops)
			if i == 0 || isNear {
				next = append(next, at+len(part))
			}
		}
		ends = next
	}
	return len(ends) > 0
}

// indexFrom returns where a text has a part from an index on, -1 if it has not.
func indexFrom(text, part string, from int) int {
	at := strings.Index(text[from:], part)
	if at < 0 {
		return -1
	}
	return from + at
}

// fold returns a text in lower case, with one space between its parts.
func fold(text string) string { return strings.Join(strings.Fields(strings.ToLower(text)), " ") }

func folded(texts []string) []string {
	var all []string
	for _, text := range texts {
		all = append(all, fold(text))
	}
	return all
}
