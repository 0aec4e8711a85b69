package trigger

import (
	"index/suffixarray"
	"slices"
	"strings"
)

const (
	// maxGap is how many bytes a * in a pattern can match.
	maxGap = 200
	// maxPlaces bounds the search for patterns with a *: how many places of a text all patterns together can try. After
	// that, such patterns do not match. A log needs a thousandth of this. Otherwise hostile triggers would take minutes.
	maxPlaces = 2 << 20
	// statementEnd ends a statement of code.
	statementEnd = ";"
)

// text is a text prepared for many searches. It is in lower case, with one space between words.
type text struct {
	folded string
	index  *suffixarray.Index // nil if an index would cost more than it saves
	places int                // how many of maxPlaces are left
}

// newText prepares a text for the comparison with count triggers. If count times the length of the text exceeds
// manyBytes, it makes an index.
func newText(content string, count int) *text {
	const manyBytes = 1 << 20
	t := &text{folded: fold(content), places: maxPlaces}
	if len(t.folded)*count > manyBytes {
		t.index = suffixarray.New([]byte(t.folded))
	}
	return t
}

// has reports whether a text has a pattern, folded by fold. A * matches up to maxGap bytes, but no character of stops.
func (t *text) has(pattern, stops string) bool {
	parts := slices.DeleteFunc(strings.Split(pattern, "*"), func(part string) bool { return part == "" })
	isMissing := func(part string) bool { return t.index != nil && len(t.index.Lookup([]byte(part), 1)) == 0 }
	if slices.ContainsFunc(parts, isMissing) {
		return false
	}
	if len(parts) == 1 {
		return strings.Contains(t.folded, parts[0])
	}
	var ends []int // indexes at which the parts so far can end
	for i, part := range parts {
		var next []int
		last := -1 // the last of ends that is not behind at
		for at := 0; t.places > 0; at++ {
			behind := strings.Index(t.folded[at:], part)
			if behind < 0 {
				break
			}
			at += behind
			t.places--
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

// fold returns a text in lower case, with one space between words.
func fold(text string) string { return strings.Join(strings.Fields(strings.ToLower(text)), " ") }

func folded(texts []string) []string {
	var all []string
	for _, text := range texts {
		all = append(all, fold(text))
	}
	return all
}
