package markdown

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
)

// dayForms are the layouts of days, by the number of words in a layout. No layout with dots begins with the month.
var dayForms = map[int][]string{
	1: {"2006-1-2", "2006/1/2", "2006.1.2", "20060102", "2.1.2006", "2/1/2006", "1/2/2006", "2-1-2006", "1-2-2006", "2-Jan-2006"},
	3: {"January 2 2006", "Jan 2 2006", "2 January 2006", "2 Jan 2006"},
}

// besideDay matches parts of a written day that are not needed: the weekday, the time, markup and punctuation.
var besideDay = lazyregexp.New("(?i)^\\W*(?:mon|tues?|wednes|wed|thurs?|thu|fri|satur|sat|sun)(?:day)?\\b|" +
	"[,*_`\"'()\\\\]|<br\\s*/?>|\\bof\\b|\\.(?:\\s|$)|T\\d\\d:\\S*")

// Day returns the day with which a text begins, such as 2024-12-23 for "December 23, 2024" and 23/12/2024. A text such
// as 03/04/2024 may mean two days. For such a text Day returns "" and true, and for a text without a day "" and false.
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

// dateForm matches names of fields for the day when a text was written or changed: date, created_at, "last modified".
const dateForm = `timestamp|(?:generated|verified)[ _-]at|` +
	`(?:(?:start|decision|creation|revision|pub|publish|publication)[ _-]?)?date|lastmod|` +
	`(?:(?:date|last)[ _-]?)?(?:created|updated|modified|edited|revised|decided|published)(?:[ _-]?(?:at|on|time|date))?`

var (
	isDateField = lazyregexp.New(`(?i)^(?:` + dateForm + `)$`)
	// dateLine matches a line such as "Date: 2022-03-04", "* **Date:** March 4, 2022" and "| Created | 2022-03-04 |".
	dateLine = lazyregexp.New(`(?i)^\s*(?:[-*+|>]\s*)?[*_]{0,2}(?:` + dateForm + `)[*_]{0,2}\s*[:|][*_]{0,2}\s*(.+?)\s*\|?\s*$`)
)

// setDate sets [Document.Date]. It looks in three places and stops at the first with a date: the field date, the other
// date fields, and the lines before the first section.
func (d *Document) setDate() {
	d.Date = d.dayOf(0, fmt.Sprint(d.FrontMatter["date"]))
	if d.Date != "" {
		d.FrontMatter["date"] = d.Date
		return
	}
	for field, value := range d.FrontMatter {
		if nested, ok := value.(map[string]any); ok { // in the Open Knowledge Format: generated: {at: 2026-01-02}
			field, value = field+" at", nested["at"]
		}
		if isDateField().MatchString(field) {
			day, _ := Day(fmt.Sprint(value))
			d.Date = max(d.Date, day)
		}
	}
	if d.Date != "" {
		return
	}
	for i, line := range d.outline.textLines(d.FirstSection()) {
		if found := dateLine().FindStringSubmatch(line); found != nil {
			d.Date = max(d.Date, d.dayOf(i+1, found[1]))
		}
	}
}

// dayOf returns the day that a text names. If the text may mean two days, dayOf adds a note. line is the line number of
// the text, or 0 for the field date.
func (d *Document) dayOf(line int, text string) string {
	day, ambiguous := Day(text)
	if ambiguous {
		problem := fmt.Sprintf("%.30q may be two days, and counts for neither; write it as 2026-11-26", text)
		d.Notes = append(d.Notes, Error{Line: line, Problem: problem})
	}
	return day
}
