package markdown

import (
	"fmt"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
)

var (
	yearFirst = lazyregexp.New(`^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:\D|$)`)
	allDigits = lazyregexp.New(`^(\d{4})(\d{2})(\d{2})$`)
	yearLast  = lazyregexp.New(`^(\d{1,2})([-/.]) ?(\d{1,2})[-/.] ?(\d{4})(?:\D|$)`)
	month     = `(?i:(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?:uary|ruary|ch|il|e|y|ust|t|tember|ober|ember)?\.?)`
	weekday   = `^(?:(?i:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?i:day)?,? )?`
	dayMonth  = lazyregexp.New(weekday + `(\d{1,2})(?:st|nd|rd|th|\.)? (?:of )?` + month + `,? (\d{4})(?:\D|$)`)
	monthDay  = lazyregexp.New(weekday + month + ` (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?:\D|$)`)
)

// Day returns the day that a text begins with, such as 2024-12-23 for "December 23, 2024" and 23/12/2024. It
// reports true without a day for one like 03/04/2024, which is two days. A day between dots comes before its month.
func Day(text string) (day string, ambiguous bool) {
	text = strings.Join(strings.Fields(strings.Trim(text, " \t*_`\"'")), " ")
	on := func(year, month, day string) string {
		parsed, err := time.Parse("2006-1-2", year+"-"+strings.TrimLeft(month, "0")+"-"+strings.TrimLeft(day, "0"))
		if err != nil {
			return ""
		}
		return parsed.Format(time.DateOnly)
	}
	named := func(year, month, day string) string {
		parsed, err := time.Parse("Jan", strings.ToUpper(month[:1])+strings.ToLower(month[1:]))
		if err != nil {
			return ""
		}
		return on(year, fmt.Sprint(int(parsed.Month())), day)
	}
	if m := yearFirst().FindStringSubmatch(text); m != nil {
		return on(m[1], m[2], m[3]), false
	}
	if m := allDigits().FindStringSubmatch(text); m != nil {
		return on(m[1], m[2], m[3]), false
	}
	if m := dayMonth().FindStringSubmatch(text); m != nil {
		return named(m[3], m[2], m[1]), false
	}
	if m := monthDay().FindStringSubmatch(text); m != nil {
		return named(m[3], m[1], m[2]), false
	}
	m := yearLast().FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	dayFirst, monthFirst := on(m[4], m[3], m[1]), on(m[4], m[1], m[3])
	switch {
	case m[2] == ".", monthFirst == "", dayFirst == monthFirst:
		return dayFirst, false
	case dayFirst == "":
		return monthFirst, false
	default:
		return "", true
	}
}

// dateLine matches a line such as "Date: 2022-03-04", "* **Date:** March 4, 2022" and "| Created | 2022-03-04 |".
var dateLine = lazyregexp.New(`(?i)^\s*(?:[-*+|>]\s*)?` +
	`[*_]{0,2}(?:date|created|created (?:at|on|time)|date created|decided on|published)[*_]{0,2}\s*[:|][*_]{0,2}\s*(.+?)\s*\|?\s*$`)

// Date returns the day of the front matter's date, or else that of a line with a date before the first section, ""
// without one. doubt is a date that is two days, nil for none.
func (d *Document) Date() (day string, doubt *Error) {
	read := func(line int, text string) bool {
		var ambiguous bool
		day, ambiguous = Day(text)
		if ambiguous {
			doubt = errorf(line, "the date %q is one of two days, and counts for neither; write it as 2026-11-26", CutRunes(text, 30))
		}
		return day != "" || ambiguous
	}
	if date := d.FrontMatter["date"]; date != nil && read(1, fmt.Sprint(date)) {
		return day, doubt
	}
	block := ""
	for i, line := range d.outline.lines[:d.outline.firstSection()] {
		var isText bool
		if i < d.outline.body {
			continue
		}
		block, isText = blockBehind(block, line)
		found := dateLine().FindStringSubmatch(line)
		if isText && found != nil && read(i+1, found[1]) {
			break
		}
	}
	return day, doubt
}
