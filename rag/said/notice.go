package said

import (
	"strings"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

var (
	// titleMark matches the part of a title that may be a status, as in "[SUPERSEDED] Cache", "Cache (deprecated)" and
	// "Deprecated: Cache".
	titleMark = lazyregexp.New(`^[\[(]([^\])]+)[\])]|[\[(]([^\])]+)[\])]$|^(\pL+):\s|\s[–—-]\s(\pL+)$`)
	// struckTitle matches a title that is struck out as a whole, such as "# ~~Cache~~".
	struckTitle = lazyregexp.New(`^#*\s*~~[^~]+~~[\s#]*$`)
	// callout matches the beginning of a callout, such as "> [!WARNING]" or "!!! note". Text may follow on the line.
	callout = lazyregexp.New(`^\s*(?:>\s*\[![\w-]+\]|:{3,}\s*\w+|!{3}\s*\w+)[^\pL\d\[]*`)
	// noticeStart matches signs and words such as "Note:" before a notice. thisDocument matches "This page is".
	noticeStart = lazyregexp.New(`(?i)^[^\pL\d\[]*\[?` +
		`(?:(?:note|warning|important|caution|attention|achtung|hinweis|nota|aviso)\b[^\pL\d\[]*)?`)
	thisDocument = lazyregexp.New(`(?i)^(?:th(?:is|e present) (?:\w+ )??` + documentNames + `|this|it` +
		`|dies(?:e|er|es) (?:Dokument|Seite|Entscheidung|Anleitung|Artikel|Beschluss)` +
		`|(?:ce|cette|cet) (?:document|page|décision|guide|article)|est[ea] (?:documento|página|decisión|guía|artículo))` +
		`\s+(?:(?:is|was|has been|now|ist|wird|wurde|est|a été|es|está|ha sido|fue)\s+)*`)
	// noticeEnd matches the text after a status word if both are nearly a whole sentence, as in "Deprecated since 2.0".
	noticeEnd = lazyregexp.New(`^(?:[\s*_~]*(?:$|[.:,;!()\]"'”])|\s[–—-]\s|\s*[*_]|\s+(?:since|seit|depuis|desde)\s)`)
	listItem  = lazyregexp.New(`^\s*(?:[-*+]|\d+[.)])\s`)
	// othersHeading matches the heading of a section about the status or about other documents, such as "See also".
	othersHeading = lazyregexp.New(`(?i)\b(?:status|links?|related|relations?|references?|see also|more information|history|` +
		`supersed\w*|replaces)\b`)
)

const documentNames = `(?:document|page|doc|adr|rfc|pep|decision|record|proposal|guide|article|note|` +
	`runbook|how-?to|file|spec(?:ification)?|policy|standard|plan|design|draft|rule|tutorial|procedure)`

// notices returns the status and the relations that a document states in its title and in notices. A notice is a
// sentence or a callout. Before the first section it may give the status. In a section about other documents it only
// gives relations. Other sections do not count, because a notice in a changelog is history. Code does not count. Text
// after a line that ends with a colon does not count, because it may be an example or a quotation.
func notices(document *markdown.Document) Status {
	status := titleStatus(document)
	headlines := document.Headlines()
	isFirst, isAbout, isStart, introduction := true, true, true, ""
	for i, line := range document.TextLines() {
		for len(headlines) > 0 && headlines[0].Line <= i {
			isFirst = isFirst && headlines[0].Level == 1
			isAbout = headlines[0].Level == 1 || othersHeading().MatchString(headlines[0].Text)
			headlines, isStart, introduction = headlines[1:], true, ""
		}
		opener, isItem, text := callout().FindString(line), listItem().MatchString(line), strings.Trim(line, "> \t*_")
		if isAbout && (isItem || !strings.HasSuffix(introduction, ":")) {
			found := noticeIn(inOneLine(line[len(opener):]))
			if isFirst && (isStart || opener != "") && !isItem && status.Word == "" {
				status.Word = found.Word
			}
			status.Relations = append(status.Relations, found.Relations...)
		}
		isStart = text == "" || opener != ""
		if !isStart && !strings.HasPrefix(strings.TrimSpace(line), ">") {
			introduction = text
		}
	}
	return status
}

// inOneLine returns the row of a table with two columns as a line, such as "Superseded by: ADR-12". It returns any other
// line unchanged.
func inOneLine(line string) string {
	row, isRow := strings.CutPrefix(strings.TrimSpace(line), "|")
	name, value, isPair := strings.Cut(strings.TrimSuffix(row, "|"), "|")
	if !isRow || !isPair || strings.Contains(value, "|") {
		return line
	}
	return strings.TrimSpace(name) + ": " + strings.TrimSpace(value)
}

// titleStatus returns the status that is marked in the title.
func titleStatus(document *markdown.Document) Status {
	raw := document.Title
	if headlines := document.Headlines(); len(headlines) > 0 && headlines[0].Level == 1 {
		raw = document.Lines()[headlines[0].Line]
	}
	if struckTitle().MatchString(raw) {
		return Status{Word: "deprecated"}
	}
	if found := titleMark().FindStringSubmatch(document.Title); found != nil {
		return noticeIn(strings.Join(found[1:], ""))
	}
	return Status{}
}

// noticeIn returns what the beginning of a line says about the status of the document.
func noticeIn(line string) Status {
	var status Status
	rest := line[len(noticeStart().FindString(line)):]
	subject := thisDocument().FindString(rest)
	rest = rest[len(subject):]
	first, ok := firstForm(formAtStart(), rest)
	if !ok {
		return status
	}
	if subject != "" || noticeEnd().MatchString(rest[first.end:]) {
		status.Word = first.status
	}
	for _, m := range formsIn(rest) {
		if m.where == everywhere && m.relation != "" {
			text := rest[m.end:] // each document that is named directly behind the form
			for found := nextNamed().FindStringSubmatch(text); found != nil; found = nextNamed().FindStringSubmatch(text) {
				status.Relations, text = appendNamed(status.Relations, m.relation, found), text[len(found[0]):]
			}
		}
	}
	if namesSuccessor(status.Relations) {
		status.Word = "superseded"
	}
	return status
}
