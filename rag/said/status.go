package said

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// maxUnknown bounds [Status].Unknown, in characters.
const maxUnknown = 300

// Status says whether a document is still valid, according to the document itself.
type Status struct {
	// Word is a result of [StatusWord], or history for a changelog, or "". Unknown is the text of any other status.
	Word, Unknown string
	// Until is the last day on which the document is valid, such as 2026-11-26, or "".
	Until string
	// Relations are the relations to other documents that the document states.
	Relations []NamedRelation
}

// StatusWord returns the meaning of the first known word of a status: active, proposed, rejected, deprecated,
// superseded or expired, or "". If the text names a successor of the document, StatusWord returns superseded.
func StatusWord(text string) string {
	if namesSuccessor(relationsIn(text)) {
		return "superseded"
	}
	text = struckOut().ReplaceAllString(text, "")
	if alone, ok := firstForm(formAsStatus(), text); ok {
		return alone.status
	}
	for _, m := range formsIn(text) {
		if m.status != "" {
			return m.status
		}
	}
	return ""
}

// namesSuccessor reports whether one of the relations leads to a successor.
func namesSuccessor(relations []NamedRelation) bool {
	return slices.ContainsFunc(relations, func(r NamedRelation) bool { return r.Relation == SupersededBy })
}

var struckOut = lazyregexp.New(`~~[^~]*~~`)

// Destination returns the text with which the document source can name the document target in a status: the relative
// path, or a link if the path has spaces or special characters. Both arguments are relative to the repository.
func Destination(source, target string) string {
	from, to := strings.Split(path.Dir(source), "/"), strings.Split(target, "/")
	if from[0] == "." {
		from = nil
	}
	common := 0
	for common < min(len(from), len(to)-1) && from[common] == to[common] {
		common++
	}
	relative := strings.Repeat("../", len(from)-common) + strings.Join(to[common:], "/")
	if named().FindString(relative) == relative {
		return relative
	}
	return "[" + strings.Trim(notInLinkText().ReplaceAllString(path.Base(target), " "), " ") + "](" +
		(&url.URL{Path: "./" + relative}).EscapedPath() + ")"
}

var notInLinkText = lazyregexp.New(`[^\pL\pN._-]+`)

// StatusOf returns the status that a document gives itself. It looks in the front matter, a section Status, a line
// Status before the first section, the title, and a notice. The first status counts, but a notice overrides the status
// active. If there is no status, the path and the form of the document decide.
func StatusOf(document *markdown.Document, file string) Status {
	status := statusOfFields(document.FrontMatter)
	if text := statusText(document); text != "" {
		if status.Word == "" && status.Unknown == "" {
			status.Word = StatusWord(latestOf(text))
			if status.Word == "" {
				status.Unknown = markdown.OneLine(markdown.CutRunes(text, maxUnknown))
			}
		}
		status.Relations = append(status.Relations, relationsIn(text)...)
	}
	noticed := notices(document)
	for _, r := range noticed.Relations {
		if !slices.Contains(status.Relations, r) {
			status.Relations = append(status.Relations, r)
		}
	}
	if status.Word == "" || status.Word == "active" && noticed.Word != "" {
		status.Word = noticed.Word
		if namesSuccessor(status.Relations) {
			status.Word = "superseded"
		}
	}
	if status.Word == "" {
		status.Word = statusOfPath(document, file)
	}
	return status
}

func statusOfFields(frontMatter map[string]any) Status {
	var status Status
	if text := strings.Join(fieldTexts(frontMatter["status"]), "\n"); strings.TrimSpace(text) != "" {
		status.Word, status.Relations = StatusWord(text), relationsIn(text)
		if status.Word == "" {
			status.Unknown = markdown.OneLine(markdown.CutRunes(text, maxUnknown))
		}
	}
	for _, tag := range fieldTexts(frontMatter["tags"]) {
		if value, ok := strings.CutPrefix(strings.TrimPrefix(tag, "#"), "status/"); ok && status.Word == "" {
			status.Word = StatusWord(strings.ReplaceAll(value, "-", " "))
		}
	}
	status.Relations = append(status.Relations, relationsOfFields(frontMatter)...)
	switch {
	case frontMatter["draft"] == true:
		status.Word = "proposed"
	case frontMatter["archived"] == true:
		status.Word = "deprecated"
	}
	for _, field := range []string{"expires", "valid_until", "review_by", "stale_after"} {
		if day, ok := frontMatter[field].(string); ok && isDay().MatchString(day) && status.Until == "" {
			status.Until = day[:len("2006-01-02")]
		}
	}
	return status
}

var isDay = lazyregexp.New(`^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:[T ]|$)`)

// fieldTexts returns the texts in a value of the front matter. The text of a nested field begins with the field's name.
func fieldTexts(value any) []string {
	switch value := value.(type) {
	case nil:
		return nil
	case []any:
		var all []string
		for _, item := range value {
			all = append(all, fieldTexts(item)...)
		}
		return all
	case map[string]any:
		var all []string
		for _, name := range slices.Sorted(maps.Keys(value)) {
			text := strings.Join(fieldTexts(value[name]), " ")
			if name == "by" {
				name = "superseded by"
			}
			all = append(all, strings.ReplaceAll(name, "_", " ")+" "+text)
		}
		return all
	default:
		return []string{fmt.Sprint(value)}
	}
}

var (
	// statusLine matches a line such as "Status: accepted", "* **Status:** accepted" and "| Status | accepted |".
	statusLine = lazyregexp.New(`(?i)^\s*(?:[-*+|]\s*)?` +
		`[*_]{0,2}(?:adr |decision )?(?:status|statut|état|estado)[*_]{0,2}\s*(?:[:|]|\s[–—-]\s)[*_]{0,2}\s*(.+?)\s*\|?\s*$`)
	statusHeading = lazyregexp.New(`(?i)^[ :]*(?:status|statut|état|estado)[ :]*$`)
)

// maxStatusLines is how many lines of a section Status are read. In a longer section, the other lines are history.
const maxStatusLines = 30

// statusText returns the text of the status, or "". It looks for a section Status, then for a heading such as "Status:
// accepted", and then for a table, a tag or a line before the first section.
func statusText(document *markdown.Document) string {
	lines, headlines := document.Lines(), document.Headlines()
	var headings []string
	for i, h := range headlines {
		line := numbered().ReplaceAllString(strings.TrimLeft(lines[h.Line], "# "), "") // with its links, which Text lacks
		if found := statusLine().FindStringSubmatch(line); found != nil {
			headings = append(headings, found[1])
		}
		if !statusHeading().MatchString(numbered().ReplaceAllString(h.Text, "")) || isNested(headlines[:i], h.Level) {
			continue
		}
		end := len(lines)
		if i+1 < len(headlines) {
			end = headlines[i+1].Line
		}
		start := h.Line + 1
		if start < end && underline().MatchString(lines[start]) {
			start++
		}
		return sectionText(lines[start:min(end, start+maxStatusLines)])
	}
	if len(headings) == 1 { // several headings are about something else, such as the states of an order
		return headings[0]
	}
	beginning := lines[:document.FirstSection()]
	for i, line := range document.TextLines() {
		if i >= len(beginning) {
			break
		}
		if text := statusCell(beginning[i:]); text != "" {
			return text
		}
		if !namesStatus(line) {
			continue
		}
		if tag := statusTag().FindStringSubmatch(line); tag != nil {
			return strings.ReplaceAll(tag[1], "-", " ")
		}
		if found := statusLine().FindStringSubmatch(line); found != nil {
			return found[1]
		}
	}
	return ""
}

// isNested reports whether a heading of the given level belongs to one of the earlier headings, except the first, which
// is the title. A section Status in a section Design is not about the document.
func isNested(earlier []markdown.Headline, level int) bool {
	for i := len(earlier) - 1; i > 0; i-- {
		if earlier[i].Level < level {
			return true
		}
	}
	return false
}

// namesStatus reports whether a line may match statusTag or statusLine. It is faster than these patterns.
func namesStatus(line string) bool {
	line = strings.ToLower(line)
	return strings.Contains(line, "stat") || strings.Contains(line, "état") || strings.Contains(line, "estad")
}

// sectionText returns the status in the lines of a section Status. If the section begins with a table, only a cell
// below the heading Status counts, because the table may be about something else, such as versions.
func sectionText(lines []string) string {
	text := strings.TrimSpace(strings.Join(lines, "\n"))
	if rows := strings.Split(text, "\n"); markdown.HeaderRow(rows[:min(len(rows), 2)]) == 0 && StatusWord(rows[0]) == "" {
		return statusCell(rows)
	}
	return text
}

var (
	numbered  = lazyregexp.New(`^\d+(?:\.\d+)*[.)]?\s+`)
	underline = lazyregexp.New(`^\s*(?:=+|-+)\s*$`)
)

// statusTag matches a tag of Obsidian, such as #status/accepted.
var statusTag = lazyregexp.New(`(?:^|\s)#status/([\w-]+)`)

// statusCell returns the cell below the heading Status in a table at the beginning of lines. It returns "" if the cell
// is missing or has no known status.
func statusCell(lines []string) string {
	if len(lines) < 3 || markdown.HeaderRow(lines[:2]) != 0 {
		return ""
	}
	cells := func(line string) []string { return strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|") }
	below := cells(lines[2])
	for i, heading := range cells(lines[0]) {
		if strings.EqualFold(strings.Trim(heading, " *_"), "status") && i < len(below) && StatusWord(below[i]) != "" {
			return strings.TrimSpace(below[i])
		}
	}
	return ""
}

var dayInText = lazyregexp.New(`\b\d{4}-\d\d-\d\d\b`)

// latestOf returns the latest line of a history of statuses: several lines, each with a status and a day. It returns
// any other text unchanged.
func latestOf(text string) string {
	latest, latestDay, days := "", "", 0
	for line := range strings.Lines(text) {
		day := dayInText().FindString(line)
		if day == "" || StatusWord(line) == "" {
			continue
		}
		days++
		if day >= latestDay {
			latest, latestDay = line, day
		}
	}
	if days < 2 {
		return text
	}
	return latest
}
