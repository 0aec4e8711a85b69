package said

import (
	"regexp"
	"strings"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
)

// form is an expression that says whether a document is still valid, or how it is related to other documents.
type form struct {
	// words is a regular expression.
	words string
	// status is the status of a document with such words, a result of [StatusWord] or "".
	status string
	// relation says how the document is related to the documents that the text names directly after such words. It is ""
	// for words without a relation.
	relation Relation
	where    scope
}

// scope says in which texts a form counts.
type scope int

const (
	everywhere scope = iota // in a status, in a notice, in the title, and as the name of a field
	inStatus                // only in a status
	asStatus                // only as the whole text of a status
)

const (
	// outdated are words for a document that was valid once, in English, German, French and Spanish.
	outdated = `deprecated|obsolete|archived|retired|outdated|inactive|out of date|no longer up[- ]to[- ]date|` +
		`no longer (?:valid|maintained|used|in use|in force|relevant|accurate|current|applicable|applies|recommended)|` +
		`veraltet|überholt|obsolet|außer kraft|nicht mehr (?:gültig|aktuell|gepflegt|verwendet|in kraft)|` +
		`obsolète|périmée?|dépréciée?|caduque?|n['’]est plus (?:valable|valide|à jour|maintenue?|utilisée?|en vigueur)|` +
		`obsolet[oa]|desactualizad[oa]|ya no (?:es válid[oa]|está vigente|está en vigor|se usa|se utiliza|se mantiene)`
	replaced = `super[sc]eded|replaced|obsoleted`
	replaces = `super[sc]edes|replaces|obsoletes`
	partly   = `(?:partial(?:ly)?|partly|in part)`
)

// forms are all forms. If two forms match at one place, the first in this list counts.
var forms = []form{
	{
		partly + `\s+(?:` + replaced + `)(?:\s+by)?|(?:` + replaced + `)\s+` + partly + `(?:\s+by)?|(?:amended|refined)\s*by|` +
			`(?:geändert|ergänzt|teilweise ersetzt) durch|(?:modifi|amend|complét)ée? par|(?:modificad|enmendad)[oa] por`,
		"", AmendedBy, everywhere,
	},
	{`(?:clarified|updated|extended)\s+by`, "", AmendedBy, inStatus},
	{partly + `\s+(?:` + replaces + `)|(?:` + replaces + `)\s+(?:(?:some|several|certain|the)\s+)?` +
		`(?:parts?|portions?|aspects?|sections?)\s+(?:of|from|in)|` +
		`amends|refines|ändert|ergänzt|modifie|amende|modifica|enmienda`, "", Amends, everywhere},
	{`clarifies|updates|extends`, "", Amends, inStatus},
	{
		`(?:` + replaced + `)(?:\s*by)?|(?:ersetzt|abgelöst) durch|remplacée? par|(?:reemplazad|sustituid)[oa] por`,
		"superseded", SupersededBy, everywhere,
	},
	{
		`(?:` + outdated + `)[\s.,:;*_–—-]*(?:please\s+)?` +
			`(?:by|in favou?r of|see|use|siehe|zugunsten von|voir|utilise[rz]|ver|véase|usar)(?:\s+also)?`,
		"deprecated", SupersededBy, everywhere,
	},
	{replaces + `|ersetzt|remplace|reemplaza(?:\s+a)?|sustituye(?:\s+a)?`, "", Supersedes, everywhere},
	{outdated, "deprecated", "", everywhere},
	{`(?:reverted|revoked|repealed|rescinded)(?:\s+by)?`, "deprecated", SupersededBy, inStatus},
	{`expired|abgelaufen|expirée?|caducad[oa]`, "expired", "", inStatus},
	{`rejected|declined|withdrawn|cancelled|canceled|abandoned|not accepted|dropped|` +
		`abgelehnt|verworfen|rejetée?|refusée?|rechazad[oa]`, "rejected", "", inStatus},
	{`proposed|proposal|draft|pending|in review|under review|in discussion|wip|work in progress|rfc|last call|deferred|` +
		`postponed|on hold|stagnant|provisional|vorgeschlagen|entwurf|proposée?|brouillon|` +
		`propuest[oa]|borrador`, "proposed", "", inStatus},
	{`accepted|approved|adopted|active|agreed|implemented|decided|done|final|current|valid|in force|published|ratified|` +
		`completed|activated|angenommen|akzeptiert|gültig|acceptée?|validée?|` +
		`aceptad[oa]|aprobad[oa]|vigente`, "active", "", inStatus},
	{`moved`, "deprecated", "", asStatus},
	{`review|open|new|idea`, "proposed", "", asStatus},
	{`implementable|living|stable|complete|released`, "active", "", asStatus},
}

// formsPattern returns a pattern with a group for each form. If counts returns false for the scope of a form, the
// form's group never matches. before and behind are patterns for the text around a form.
func formsPattern(before, behind string, counts func(scope) bool) func() *regexp.Regexp {
	all := make([]string, len(forms))
	for i, f := range forms {
		all[i] = `(` + f.words + `)`
		if !counts(f.where) {
			all[i] = `([^\s\S])` // matches nothing
		}
	}
	return lazyregexp.New(`(?i)` + before + `(?:` + strings.Join(all, "|") + `)` + behind)
}

const wordEnd = `(?:[^\pL\d]|$)`

var (
	formInText   = formsPattern(`(?:^|[^\pL\d])`, wordEnd, func(s scope) bool { return s != asStatus })
	formAtStart  = formsPattern(`^`, wordEnd, func(s scope) bool { return s == everywhere })
	formAsStatus = formsPattern("^[\\s*_.`]*", "[\\s*_.`]*$", func(s scope) bool { return s == asStatus })
)

// match is a form and its place in a text: the byte offsets start and end.
type match struct {
	form

	start, end int
}

// verb matches the verb between the subject of a sentence and the status, as in "The old API is deprecated".
const verb = `\s+(?:is|are|was|were|has been|have been|ist|sind|wurden?|est|sont|a été|es|son|ha sido|fue)\s+(?:now\s+)?$`

var (
	hasSubject = lazyregexp.New(`(?i)\pL\S*` + verb)
	// ofDocument matches a subject that means the document itself, and its verb, as in "This page is".
	ofDocument = lazyregexp.New(`(?i)(?:^|[^\pL])(?:` + documentNames + `|(?:` + seriesForm + `)[-_ #]*\d+|this|it|Dokument|Seite|` +
		`Entscheidung|Anleitung|Artikel|Beschluss|décision|documento|página|decisión|guía|artículo)` + verb)
)

// formsIn returns the forms in a text, in order, at most maxRelations. It skips a form in a sentence about something
// else than the document, such as "The old API is deprecated".
func formsIn(text string) []match {
	var all []match
	for at := 0; ; {
		m, ok := firstForm(formInText(), text[at:])
		if !ok || len(all) == maxRelations {
			return all
		}
		m.start, m.end = m.start+at, m.end+at
		before := text[max(at, m.start-maxSubject):m.start]
		before = before[strings.LastIndexAny(before, "\n.;")+1:]
		if !hasSubject().MatchString(before) || ofDocument().MatchString(before) {
			all = append(all, m)
		}
		at = m.end
	}
}

// maxSubject is how many bytes before a form are searched for the subject of the sentence.
const maxSubject = 200

// firstForm searches a text with pattern, a result of formsPattern, and returns the first form in the text.
func firstForm(pattern *regexp.Regexp, text string) (match, bool) {
	found := pattern.FindStringSubmatchIndex(text)
	for i := range found[:len(found)/2] {
		if start := found[2*i]; i > 0 && start >= 0 {
			return match{forms[i-1], start, found[2*i+1]}, true
		}
	}
	return match{}, false
}
