package markdown

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
)

// dayForms are how people write a day, by its number of words. A day between dots comes before its month.
var dayForms = map[int][]string{
	1: {"2006-1-2", "2006/1/2", "2006.1.2", "20060102", "2.1.2006", "2/1/2006", "1/2/2006", "2-1-2006", "1-2-2006"},
	3: {"January 2 2006", "Jan 2 2006", "2 January 2006", "2 Jan 2006"},
}

// besideDay matches what may stand in a day beside its numbers and its month.
var besideDay = lazyregexp.New("(?i)^\\W*(?:mon|tues?|wednes|wed|thurs?|thu|fri|satur|sat|sun)(?:day)?\\b|" +
	"[,*_`\"']|\\bof\\b|\\.(?:\\s|$)|T\\d\\d:\\S*")

// Day returns the day with which a text begins, such as 2024-12-23 for "December 23, 2024" and 23/12/2024. It
// reports true without a day for one like 03/04/2024, which is two days.
func Day(text string) (day string, ambiguous bool) {
	text = ordinal().ReplaceAllString(text, "$1")
	words := strings.Fields(besideDay().ReplaceAllString(text, " "))
	var days []string
	for count, forms := range dayForms {
		for _, form := range forms {
			parsed, err := time.Parse(form, strings.Join(words[:min(count, len(words))], " "))
			if err != nil || slices.Contains(days, parsed.Format(time.DateOnly)) {
				continue
			}
			days = append(days, parsed.Format(time.DateOnly))
		}
	}
	if len(days) != 1 {
		return "", len(days) > 1
	}
	return days[0], false
}

var ordinal = lazyregexp.New(`(?i)(\d|\bsep)(?:st|nd|rd|th|t)\b`)

// dateLine matches a line such as "Date: 2022-03-04", "* **Date:** March 4, 2022" and "| Created | 2022-03-04 |".
var dateLine = lazyregexp.New(`(?i)^\s*(?:[-*+|>]\s*)?` +
	`[*_]{0,2}(?:date|created|created (?:at|on|time)|date created|decided on|published)[*_]{0,2}\s*[:|][*_]{0,2}\s*(.+?)\s*\|?\s*$`)

// setDate sets the date of a document. It notes a date that may be two days, with line 0 for that of the front matter.
func (d *Document) setDate() {
	for line, text := range d.dates() {
		day, ambiguous := Day(text)
		if ambiguous {
			problem := fmt.Sprintf("%.30q may be two days, and counts for neither; write it as 2026-11-26", text)
			d.Notes = append(d.Notes, Error{Line: line, Problem: problem})
			return
		}
		if day != "" && line == 0 {
			d.FrontMatter["date"] = day
		}
		if day != "" {
			d.Date = day
			return
		}
	}
}

// dates yields the texts that may say the date, with their lines: first the field of the front matter, whose line is
// 0, then lines before the first section.
func (d *Document) dates() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		if !yield(0, fmt.Sprint(d.FrontMatter["date"])) {
			return
		}
		var block string
		var isText bool
		for i, end := d.outline.body, d.outline.firstSection(); i < end; i++ {
			block, isText = blockBehind(block, d.outline.lines[i])
			found := dateLine().FindStringSubmatch(d.outline.lines[i])
			if isText && found != nil && !yield(i+1, found[1]) {
				return
			}
		}
	}
}
