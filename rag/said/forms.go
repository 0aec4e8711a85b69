package said

import (
	"regexp"
	"strings"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
)

// form is a form of words that says whether a document holds, or how it stands to others.
type form struct {
	// words is a regular expression.
	words string
	// status is the status that the words give their document, a result of [StatusWord] or "".
	status string
	// relation is how the document stands to the documents named after the words, "" for none.
	relation Relation
	where    scope
}

// scope says where a form counts.
type scope int

const (
	everywhere scope = iota // in a status, in a notice, in the title, and as the name of a field
	inStatus                // in a status
	asStatus                // in a status that says nothing else
)

const (
	// outdated are words for a document that no longer holds, also in German, French and Spanish.
	outdated = `deprecated|obsolete|archived|retired|outdated|inactive|out of date|no longer up[- ]to[- ]date|` +
		`no longer (?:valid|maintained|used|in use|in force|relevant|accurate|current|applicable|applies|recommended)|` +
		`veraltet|überholt|obsolet|außer kraft|nicht mehr (?:gültig|aktuell|gepflegt|verwendet|in kraft)|` +
		`obsolète|périmée?|dépréciée?|caduque?|n['’]est plus (?:valable|valide|à jour|maintenue?|utilisée?|en vigueur)|` +
		`obsolet[oa]|desactualizad[oa]|ya no (?:es válid[oa]|está vigente|está en vigor|se usa|se utiliza|se mantiene)`
	replaced = `super[sc]eded|replaced|obsoleted`
	replaces = `super[sc]edes|replaces|obsoletes`
	partly   = `(?:partial(?:ly)?|partly|in part)`
)

// forms are all forms. If two match at the same place, the first counts.
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

// formsPattern matches the forms that count somewhere, each as a group.
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

// match is a form in a text, and where its words begin and end.
type match struct {
	form

	start, end int
}

// verb matches what stands between the subject of a sentence and the word for its status, as in "The old API is deprecated".
const verb = `\s+(?:is|are|was|were|has been|have been|ist|sind|wurden?|est|sont|a été|es|son|ha sido|fue)\s+(?:now\s+)?$`

var (
	hasSubject = lazyregexp.New(`(?i)\pL\S*` + verb)
	// ofDocument matches a subject that is the document itself.
	ofDocument = lazyregexp.New(`(?i)(?:^|[^\pL])(?:` + documentNames + `|(?:` + seriesForm + `)[-_ #]*\d+|this|it|Dokument|Seite|` +
		`Entscheidung|Anleitung|Artikel|Beschluss|décision|documento|página|decisión|guía|artículo)` + verb)
)

// formsIn returns the first [maxRelations] forms in a text, in order. It leaves out forms in sentences about something
// else than the document.
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

// maxSubject is how many bytes before a form are searched for the subject of its sentence.
const maxSubject = 200

// firstForm returns the first form in a text that matches the pattern. It returns false if there is none.
func firstForm(pattern *regexp.Regexp, text string) (match, bool) {
	found := pattern.FindStringSubmatchIndex(text)
	for i := range found[:len(found)/2] {
		if start := found[2*i]; i > 0 && start >= 0 {
			return match{forms[i-1], start, found[2*i+1]}, true
		}
	}
	return match{}, false
}
