package said

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// Relation is how a document is related to another document. The zero value is a link.
type Relation string

// The relations other than a link.
const (
	Supersedes   Relation = "supersedes"
	SupersededBy Relation = "superseded_by"
	Amends       Relation = "amends"
	AmendedBy    Relation = "amended_by"
	Mentions     Relation = "mentions"
)

// NamedRelation is a relation to the document at Destination. Destination is the path of a link, or a number such as
// #12 for a decision in the folder of the document that states the relation.
type NamedRelation struct {
	Relation    Relation
	Destination string
	// Bare means that Destination is a path outside of a link, which may be relative to the folder of all documents.
	Bare bool
}

const (
	// seriesForm matches the name of a series of decisions or proposals, such as ADR, PEP and EIP.
	seriesForm = `adr|rfc|decision|dr|[a-z][ei]p|erc|simd`
	namedForm  = `\[[^\]\[]*\]\(\s*(?:<([^>]+)>|([^)\s>]+))[^)]*\)|\[\[([^\]\[|#]+)[^\]]*\]\]|` +
		`([\w./@+-]+\.(?:md|markdown|mdx))\b|(?i:\b(?:` + seriesForm + `)[-_ #]*|#)(\d{1,6})\b|\b(0\d{2,5})\b`
)

var (
	// named matches a text that names a document: a link, a wikilink, a path, or the number of a decision.
	named = lazyregexp.New(namedForm)
	// mentioned matches a decision such as ADR-12 at the end of a text. One sign may follow the number.
	mentioned = lazyregexp.New(`(?i)\b(?:` + seriesForm + `)[-_ #]*0*(\d{1,6})\W?$`)
	// nextNamed is like named, but only at the beginning of a text, after words such as "by".
	nextNamed = lazyregexp.New(`^(?:[\s,:*_]|\b(?:by|and|und|et|y|the|this|page|document)\b)*(?:` + namedForm + `)`)
)

// relationsIn returns the relations in a text. A phrase such as "replaced by" applies to all documents after it, up to
// the next phrase.
func relationsIn(text string) []NamedRelation {
	var relations []NamedRelation
	words := slices.DeleteFunc(formsIn(text), func(m match) bool { return m.relation == "" })
	for i, word := range words {
		end := len(text)
		if i+1 < len(words) {
			end = words[i+1].start
		}
		for _, found := range named().FindAllStringSubmatch(text[word.end:end], maxRelations) {
			relations = appendNamed(relations, word.relation, found)
		}
	}
	return relations
}

// MentionsIn returns a relation to each decision that the text of a document mentions by number, such as ADR-12.
func MentionsIn(document *markdown.Document) []NamedRelation {
	var relations []NamedRelation
	for _, line := range document.TextLines() {
		for end := 0; ; { // from number to number, because the pattern takes long for a whole line
			start := end + strings.IndexAny(line[end:], digits)
			if start < end {
				break
			}
			end = len(line) - len(strings.TrimLeft(line[start:], digits))
			found := mentioned().FindStringSubmatch(line[max(0, start-maxBeforeNumber):min(end+1, len(line))])
			if found != nil {
				relations = append(relations, NamedRelation{Relation: Mentions, Destination: "#" + found[1]})
			}
		}
	}
	return relations
}

const (
	digits = "0123456789"
	// maxBeforeNumber bounds the name of the series and the signs before a number, such as "ADR-", in bytes.
	maxBeforeNumber = 16
)

// appendNamed appends a relation to the document in found, a match of the pattern named or nextNamed. Links with a
// scheme or a host are ignored.
func appendNamed(relations []NamedRelation, relation Relation, found []string) []NamedRelation {
	r := NamedRelation{Relation: relation}
	switch {
	case found[1]+found[2] != "":
		r.Destination, _ = markdown.RelativeLink(found[1] + found[2])
	case found[3] != "":
		r.Destination = markdown.AnyFolder + strings.TrimSuffix(strings.TrimSpace(found[3]), ".md") + ".md"
	case found[4] != "":
		r.Destination, r.Bare = found[4], true
	default:
		r.Destination = decision(found[5] + found[6])
	}
	if r.Destination == "" || len(relations) >= maxRelations {
		return relations
	}
	return append(relations, r)
}

// decision returns the destination for the number of a decision, such as #12 for 0012.
func decision(number string) string {
	return "#" + cmp.Or(strings.TrimLeft(number, "0"), "0")
}

// maxRelations bounds the relations from one text, such as a section Status or a line.
const maxRelations = 200

// relationsOfFields returns the relations in fields such as supersedes and replaced-by. A value is the number of a
// decision, another text that namedForm matches, or a path.
func relationsOfFields(frontMatter map[string]any) []NamedRelation {
	var relations []NamedRelation
	for _, field := range slices.Sorted(maps.Keys(frontMatter)) {
		name := strings.ToLower(inWords.Replace(field))
		if !strings.HasSuffix(name, "by") && !strings.HasSuffix(name, "s") { // superseded: true names no document
			continue
		}
		m, ok := firstForm(formAtStart(), name)
		if !ok || m.end < len(name) || m.relation == "" {
			continue
		}
		relation := m.relation
		for _, text := range fieldTexts(frontMatter[field]) {
			text = strings.TrimSpace(text)
			found := named().FindStringSubmatch(text)
			switch {
			case isNumber().MatchString(text):
				relations = append(relations, NamedRelation{Relation: relation, Destination: decision(text)})
			case found != nil && found[0] == text && found[4] == "":
				relations = appendNamed(relations, relation, found)
			case text != "":
				relations = append(relations, NamedRelation{Relation: relation, Destination: text, Bare: true})
			}
		}
	}
	return relations
}

// inWords turns the name of a field into words.
var inWords = strings.NewReplacer("-", " ", "_", " ")

var isNumber = lazyregexp.New(`^\d{1,6}$`)

// IsSeries reports whether a word names a series of decisions or proposals in any project, such as ADR.
func IsSeries(word string) bool { return isSeries().MatchString(word) }

var isSeries = lazyregexp.New(`(?i)^(?:` + seriesForm + `)$`)

// DecisionNumber returns the number of a decision, "" without one. The number comes from a title such as "12. Cache"
// and "ADR-0012: Cache", or else from a file name such as 0012-cache.md. A date is no number.
func DecisionNumber(file, title string) string {
	if found := decisionTitle().FindStringSubmatch(title); found != nil {
		return found[1] + found[2]
	}
	name := path.Base(file)
	if found := decisionName().FindStringSubmatch(name); found != nil && !isDated().MatchString(name) {
		return found[1]
	}
	return ""
}

var (
	decisionName  = lazyregexp.New(`(?i)^(?:` + seriesForm + `)?[-_ ]*0*(\d{1,6})(?:[-_. ]|$)`)
	isDated       = lazyregexp.New(`^\d{4}[-_.]\d\d[-_.]\d\d`)
	decisionTitle = lazyregexp.New(`(?i)^(?:(?:` + seriesForm + `)[-_ #]*0*(\d{1,6})(?:[.:)]|\s+[–—-]\s|$)|` +
		`0*(\d{1,6})(?:[.:)]\s|\s+[–—-]\s))`)
)
