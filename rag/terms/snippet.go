package terms

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const ellipsis = "…"

// Snippet returns the part of a passage's body that has the most of the query's terms.
// It begins and ends at word boundaries, is one line, and has at most limit characters,
// ellipses included. Among equal parts it takes the first, so that a passage without
// any of the terms shows its beginning. Markdown's marks of headings, quotations, code
// fences and tables at the beginning of a line are left out.
func (q Query) Snippet(body string, limit int) string {
	text := oneLine(body)
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	room := limit - 2*utf8.RuneCountInString(ellipsis)
	if room <= 0 {
		return ""
	}
	start, end := widen(text, q.bestWindow(text, room), room)
	snippet := strings.TrimSpace(text[start:end])
	if start > 0 {
		snippet = ellipsis + snippet
	}
	if end < len(text) {
		snippet += ellipsis
	}
	return snippet
}

// match is an occurrence of one of the query's terms, in bytes and characters.
type match struct {
	term                int
	start, end          int
	firstRune, lastRune int
}

// bestWindow returns the span of at most room characters that has the most distinct
// terms of the query, and among equal ones the most matches. It only moves both ends
// forward, so time is linear.
func (q Query) bestWindow(text string, room int) span {
	matches := q.matches(text)
	inside := make([]int, len(q.Terms))
	var best span
	distinct, bestScore, first := 0, 0, 0
	for last, m := range matches {
		if inside[m.term]++; inside[m.term] == 1 {
			distinct++
		}
		for ; first < last && m.lastRune-matches[first].firstRune > room; first++ {
			if inside[matches[first].term]--; inside[matches[first].term] == 0 {
				distinct--
			}
		}
		if m.lastRune-matches[first].firstRune > room {
			continue // one word that is longer than the snippet
		}
		// No window has more matches than the text has bytes.
		if score := distinct*(len(text)+1) + last - first; score > bestScore {
			best, bestScore = span{matches[first].start, m.end}, score
		}
	}
	return best
}

func (q Query) matches(text string) []match {
	at := make(map[int32]int, len(q.Terms))
	for i, term := range q.Terms {
		at[term.Hash] = i
	}
	var found []match
	runes, counted := 0, 0
	analyse(text, func(o occurrence) {
		term, wanted := at[hashTerm(q.project, o.term)]
		if !wanted || o.start < counted {
			return // a part of an identifier that is counted already
		}
		runes += utf8.RuneCountInString(text[counted:o.start])
		counted = o.start
		found = append(found, match{
			term: term, start: o.start, end: o.end,
			firstRune: runes, lastRune: runes + utf8.RuneCountInString(text[o.start:o.end]),
		})
	})
	return found
}

// widen extends a window to at most room characters. It extends the window back to the
// beginning of the sentence if that is near, else by a third of the room that is left;
// then forward; and at the end of the text, back again. Neither end is inside a word.
func widen(text string, window span, room int) (start, end int) {
	left := room - utf8.RuneCountInString(text[window.start:window.end])
	start = backBy(text, window.start, left/3)
	if sentence := strings.LastIndexAny(text[start:window.start], ".!?"); sentence >= 0 && start > 0 {
		start += sentence + 1
	}
	start = wordStart(text, start, window.start)
	left = room - utf8.RuneCountInString(text[start:window.end])
	end = wordEnd(text, forwardBy(text, window.end, left), window.end)
	if end == len(text) {
		left = room - utf8.RuneCountInString(text[start:end])
		start = wordStart(text, backBy(text, start, left), start)
	}
	return start, end
}

func backBy(text string, from, characters int) int {
	for ; characters > 0 && from > 0; characters-- {
		_, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
	}
	return from
}

func forwardBy(text string, from, characters int) int {
	for ; characters > 0 && from < len(text); characters-- {
		_, size := utf8.DecodeRuneInString(text[from:])
		from += size
	}
	return from
}

// wordStart moves start forward behind the next space, but not beyond bound, if
// it is inside a word. Scripts without spaces may be cut between characters.
func wordStart(text string, start, bound int) int {
	if start == 0 || !cutsWord(text, start) {
		return start
	}
	if space := strings.IndexByte(text[start:bound], ' '); space >= 0 {
		return start + space + 1
	}
	return bound
}

// wordEnd moves end back to the last space, but not before bound, if it is
// inside a word.
func wordEnd(text string, end, bound int) int {
	if end == len(text) || !cutsWord(text, end) {
		return end
	}
	if space := strings.LastIndexByte(text[bound:end], ' '); space >= 0 {
		return bound + space
	}
	if bound == 0 {
		return end // nothing but one long word
	}
	return bound
}

// cutsWord reports whether neither side of the place is a space or of a script
// without spaces.
func cutsWord(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at:])
	if unicode.Is(unicode.M, after) {
		return true
	}
	return before != ' ' && after != ' ' && !inPairs(before) && !inPairs(after)
}

// links are the links and images of markdown, with what precedes them and their texts.
// Code such as calls[i](x) is none.
var links = regexp.MustCompile(`(^|[^\w!])!?\[([^\[\]]+)\](?:\([^()\s]*(?:\s+"[^"]*")?\)|\[[^\[\]]*\])`)

// oneLine joins the lines of markdown with one space between words. It leaves
// out the lines that are only markup, and the marks before a heading or a
// quotation. Of a link it has the text.
func oneLine(body string) string {
	var out strings.Builder
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") || strings.Trim(line, "|-:=*_ \t") == "" {
			continue
		}
		if heading := strings.TrimLeft(line, "#"); heading != line && strings.HasPrefix(heading, " ") {
			line = heading
		}
		if line = strings.TrimLeft(line, "> "); strings.Contains(line, "[") {
			line = links.ReplaceAllString(line, "$1$2")
		}
		for word := range strings.FieldsSeq(line) {
			if out.Len() > 0 {
				out.WriteByte(' ')
			}
			out.WriteString(word)
		}
	}
	return strings.ToValidUTF8(out.String(), "")
}
