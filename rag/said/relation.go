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

// Relation is how a document stands to another. The zero value is a link.
type Relation string

// The relations.
const (
	Supersedes   Relation = "supersedes"
	SupersededBy Relation = "superseded_by"
	Amends       Relation = "amends"
	AmendedBy    Relation = "amended_by"
)

// NamedRelation is a relation to the document at a destination. That is the path of a link, or # and the number of
// a decision in the same folder.
type NamedRelation struct {
	Relation    Relation
	Destination string
	// Bare means that Destination is a path in a text, which may begin at the folder of the documents.
	Bare bool
}

const (
	replacingForm = `(super[sc]eded|replaced|obsoleted)(?:\s+by)?|(super[sc]edes|replaces|obsoletes)|`
	// seriesForm is a series of decisions or proposals, such as ADR, PEP and EIP.
	seriesForm = `adr|rfc|decision|dr|[a-z][ei]p|erc|simd`
	namedForm  = `\[[^\]\[]*\]\(\s*(?:<([^>]+)>|([^)\s>]+))[^)]*\)|\[\[([^\]\[|#]+)[^\]]*\]\]|` +
		`([\w./@+-]+\.(?:md|markdown|mdx))\b|(?i:\b(?:` + seriesForm + `)[-_ #]*|#)(\d{1,6})\b|\b(0\d{2,5})\b`
)

var (
	// relationWord matches what stands before the documents that a status names.
	relationWord = lazyregexp.New(`(?i)\b(?:` + replacingForm +
		`(amended|clarified|refined|updated|extended)\s+by|(amends|clarifies|refines|updates|extends))\b`)
	// named matches a document: a link, a wikilink, a path, or the number of a decision.
	named = lazyregexp.New(namedForm)
	// statedRelation matches the beginning of a line that says how its document stands to another, such as
	// "* Supersedes" and "> **Deprecated**: this page is replaced by". nextNamed matches a document that follows.
	statedRelation = lazyregexp.New(`(?i)^[^\pL\d\[]*` +
		`(?:(?:deprecated|obsolete|outdated|archived|note|warning|important)\b[^\pL\d\[]*)?` +
		`(?:this [\w -]{1,30}? (?:is |was |has been |now )*)?(?:` + replacingForm + `((?:amended|refined)\s+by)|(amends|refines))\b`)
	nextNamed = lazyregexp.New(`^(?:[\s,:*_]|\bby\b|\band\b)*(?:` + namedForm + `)`)
)

// othersHeading matches the heading of a section about other documents.
var othersHeading = lazyregexp.New(`(?i)\b(?:status|links?|related|relations?|references?|see also|more information|history|` +
	`supersed\w*|replaces)\b`)

// relationOf returns the relation of a match of relationWord or statedRelation, given by places in the text.
func relationOf(match []int) Relation {
	isGroup := func(group int) bool { return match[group] >= 0 }
	return [...]Relation{SupersededBy, Supersedes, AmendedBy, Amends}[slices.IndexFunc([]int{2, 4, 6, 8}, isGroup)]
}

// relationsIn returns the relations that a text names: each document up to the next word of a relation.
func relationsIn(text string) []NamedRelation {
	var relations []NamedRelation
	words := relationWord().FindAllStringSubmatchIndex(text, maxRelations)
	for i, word := range words {
		end := len(text)
		if i+1 < len(words) {
			end = words[i+1][0]
		}
		for _, found := range named().FindAllStringSubmatch(text[word[1]:end], maxRelations) {
			relations = appendNamed(relations, relationOf(word), found)
		}
	}
	return relations
}

// appendNamed adds the relation to the document of a match of named. A link that leads elsewhere adds none.
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

// decision returns the destination of a decision with a number.
func decision(number string) string {
	return "#" + cmp.Or(strings.TrimLeft(number, "0"), "0")
}

// maxRelations bounds the relations that each part of a document names.
const maxRelations = 200

// statedRelations returns the relations of lines that begin with one, outside of code: before the first section, and in a
// section about other documents. In another section, such as one of a changelog, such a line tells a story.
func statedRelations(document *markdown.Document) []NamedRelation {
	var relations []NamedRelation
	headlines := document.Headlines()
	isAbout := true
	for i, line := range document.TextLines() {
		for len(headlines) > 0 && headlines[0].Line <= i {
			isAbout = headlines[0].Level == 1 || othersHeading().MatchString(headlines[0].Text)
			headlines = headlines[1:]
		}
		if !isAbout {
			continue
		}
		match := statedRelation().FindStringSubmatchIndex(line)
		if match == nil {
			continue
		}
		rest := line[match[1]:]
		for {
			found := nextNamed().FindStringSubmatch(rest)
			if found == nil {
				break
			}
			relations = appendNamed(relations, relationOf(match), found)
			rest = rest[len(found[0]):]
		}
	}
	return relations
}

// relationFields are the fields of front matter that name other documents, without [notInField].
var relationFields = map[string]Relation{
	"supersedes": Supersedes, "replaces": Supersedes, "obsoletes": Supersedes,
	"supersededby": SupersededBy, "replacedby": SupersededBy, "obsoletedby": SupersededBy,
	"amends": Amends, "amendedby": AmendedBy,
}

// notInField are the signs that people leave out of a field's name, or not.
var notInField = strings.NewReplacer("-", "", "_", "", " ", "")

// relationsOfFields returns the relations of fields such as supersedes and replaced-by. What names no document in
// a form of a text is a path.
func relationsOfFields(frontMatter map[string]any) []NamedRelation {
	var relations []NamedRelation
	for _, field := range slices.Sorted(maps.Keys(frontMatter)) {
		relation, ok := relationFields[strings.ToLower(notInField.Replace(field))]
		if !ok {
			continue
		}
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

var isNumber = lazyregexp.New(`^\d{1,6}$`)

// DecisionNumber returns the number of a decision, "" without one: that of its title, such as "12. Cache" and
// "ADR-0012: Cache", or else that with which the name of its file begins, such as docs/adr/0012-cache.md. A day is none.
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
	decisionTitle = lazyregexp.New(`(?i)^(?:(?:` + seriesForm + `)[-_ #]*0*(\d{1,6})(?:[.:)]|\s+[–—-]\s|$)|0*(\d{1,6})(?:[.:)]\s|\s+[–—-]\s))`)
)
