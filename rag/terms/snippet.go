package terms

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const ellipsis = "…"

// Snippet returns the part of a passage's body that has the most of the query's terms. The part is one line of at most
// limit characters, ellipses included, and begins and ends at word boundaries. Among equally good parts, Snippet takes
// the first, so a passage without any of the terms shows its beginning. It leaves out markdown's marks of headings,
// quotations, code fences and tables. Before a row of a table it shows the table's header.
func (q Query) Snippet(body string, limit int) string {
	line, starts := oneLine(body)
	text := []rune(line)
	if len(text) <= limit {
		return line
	}
	room := limit - 2*utf8.RuneCountInString(ellipsis)
	if room <= 0 {
		return ""
	}
	window := q.bestWindow(line, room)
	row, _ := slices.BinarySearch(starts, window.start+1)
	lines := strings.Split(body, "\n")
	if header := headerOf(lines, row-1); header != "" && utf8.RuneCountInString(header) <= limit/2 {
		return header + q.Snippet(strings.Join(lines[row-1:], "\n"), limit-utf8.RuneCountInString(header))
	}
	start, end := widen(text, window, room)
	snippet := strings.TrimSpace(string(text[start:end]))
	if start > 0 {
		snippet = ellipsis + snippet
	}
	if end < len(text) {
		snippet += ellipsis
	}
	return snippet
}

// match is an occurrence of a term of the query. term is its index in Query.Terms. start and end are in characters.
type match struct{ term, start, end int }

// bestWindow returns the span of at most room characters that has the most distinct terms of the query. If several
// spans have equally many terms, the number of matches decides. Both ends only move forward, so the time is linear.
func (q Query) bestWindow(text string, room int) span {
	at := make(map[int32]int, len(q.Terms))
	for i, term := range q.Terms {
		at[term.Hash] = i
	}
	var matches []match
	runes, counted := 0, 0
	q.eachTerm(text, func(o occurrence, hash int32) {
		term, wanted := at[hash]
		if !wanted || o.start < counted {
			return // a part of an identifier that is counted already
		}
		runes += utf8.RuneCountInString(text[counted:o.start])
		counted = o.start
		matches = append(matches, match{term, runes, runes + utf8.RuneCountInString(text[o.start:o.end])})
	})
	inside := make([]int, len(q.Terms))
	var best span
	distinct, bestScore, first := 0, 0, 0
	for last, m := range matches {
		if inside[m.term]++; inside[m.term] == 1 {
			distinct++
		}
		for ; first < last && m.end-matches[first].start > room; first++ {
			if inside[matches[first].term]--; inside[matches[first].term] == 0 {
				distinct--
			}
		}
		if m.end-matches[first].start > room {
			continue // one word that is longer than the snippet
		}
		// A text has fewer matches than bytes, so one more distinct term outweighs any number of matches.
		if score := distinct*(len(text)+1) + last - first; score > bestScore {
			best, bestScore = span{matches[first].start, m.end}, score
		}
	}
	return best
}

// widen extends a window to at most room characters. It moves the start back to the beginning of the sentence, but at
// most by a third of the free room. Then it moves the end forward. If the text ends there, it moves the start back
// again. Neither end is inside a word.
func widen(text []rune, window span, room int) (start, end int) {
	start = max(0, window.start-(room-(window.end-window.start))/3)
	for i := window.start - 1; start > 0 && i >= start; i-- {
		if strings.ContainsRune(".!?", text[i]) {
			start = i + 1
		}
	}
	start = wordStart(text, start, window.start)
	end = wordEnd(text, min(start+room, len(text)), window.end)
	if end == len(text) {
		start = wordStart(text, max(0, end-room), start)
	}
	return start, end
}

// wordStart returns start if it is not inside a word. Otherwise it returns the place behind the next space, or bound if
// no space is before bound. Scripts without spaces may be cut between characters.
func wordStart(text []rune, start, bound int) int {
	if start == 0 || !cutsWord(text, start) {
		return start
	}
	if space := slices.Index(text[start:bound], ' '); space >= 0 {
		return start + space + 1
	}
	return bound
}

// wordEnd is like wordStart, but returns the place of the last space before end, or bound if there is no such space.
func wordEnd(text []rune, end, bound int) int {
	if end == len(text) || !cutsWord(text, end) {
		return end
	}
	for i := end - 1; i >= bound; i-- {
		if text[i] == ' ' {
			return i
		}
	}
	if bound == 0 {
		return end // one long word
	}
	return bound
}

// cutsWord reports whether a cut before text[at] divides a word, or a character from its combining mark.
func cutsWord(text []rune, at int) bool {
	before, after := text[at-1], text[at]
	if unicode.Is(unicode.M, after) {
		return true
	}
	return before != ' ' && after != ' ' && !inPairs(before) && !inPairs(after)
}

// links matches a link or an image of markdown. Its groups are the character before the link, and the text of the link.
// Code such as calls[i](x) does not match.
var links = regexp.MustCompile(`(^|[^\w!])!?\[([^\[\]]+)\](?:\([^()\s]*(?:\s+"[^"]*")?\)|\[[^\[\]]*\])`)

// headerOf returns the header of a table and an ellipsis if lines[row] is a row of the table, but not its first row.
// Otherwise it returns "".
func headerOf(lines []string, row int) string {
	header := ""
	for i := row; i > 0 && strings.Contains(lines[i], "|"); i-- {
		if i < row-1 && strings.Trim(lines[i], "|-: ") == "" && strings.Contains(lines[i-1], "|") {
			header, _ = oneLine(lines[i-1])
			header += " " + ellipsis + " "
		}
	}
	return header
}

// oneLine joins the lines of markdown, with one space between words. It leaves out lines that are only markup, and the
// marks before a heading or a quotation. It replaces each link by the link's text. starts has, for each line of body,
// the number of characters of text before the line.
func oneLine(body string) (text string, starts []int) {
	var out strings.Builder
	length := 0
	for line := range strings.Lines(body) {
		starts = append(starts, length)
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") || strings.Trim(line, "|-:=*_ \t") == "" {
			continue
		}
		if heading := strings.TrimLeft(line, "#"); heading != line && strings.HasPrefix(heading, " ") {
			line = heading
		}
		line = strings.TrimLeft(line, "> ")
		if strings.Contains(line, "[") {
			line = links.ReplaceAllString(line, "$1$2")
		}
		for word := range strings.FieldsSeq(line) {
			if out.Len() > 0 {
				out.WriteByte(' ')
				length++
			}
			out.WriteString(word)
			length += utf8.RuneCountInString(word)
		}
	}
	return out.String(), starts
}
