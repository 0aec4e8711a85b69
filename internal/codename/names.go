// Package codename compares a file of code with documents. It finds the documents that contain the name of a function,
// type, constant, table, route or flag that the file defines. It has no side effects. names.go has the names in
// documents, and definitions.go finds names that code defines.
package codename

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
)

// Names has the names of functions, types and so on in the documents of a project, indexed for quick lookups.
type Names struct {
	by map[string][]naming // by folded name, route or flag
}

// naming is a name in a document.
type naming struct {
	document int
	text     string
	// owner is the type or module before the name, or "". file is the file with the name, as the document says, or "".
	owner, file string
}

// mostNaming is how many documents may have the same name. A name in more documents says nothing.
const mostNaming = 3

// Match says that a document contains names that a file defines.
type Match struct {
	// Document is the number that [Names.Add] got for the document.
	Document int
	weight   float64 // sum of the weights of the names, at least 1
	// Text is the first of the names in the file.
	Text string
}

// Add adds a document under its number: the names in it, as [said.Names] finds them, and the places that it cites.
func (n *Names) Add(document int, names, places []string) {
	if n.by == nil {
		n.by = map[string][]naming{}
	}
	files := map[string]string{}
	for _, place := range places {
		if file, symbol, found := strings.Cut(place, "#"); found {
			_, symbol = splitName(symbol)
			files[symbol] = file
		}
	}
	for _, key := range names {
		owner, name := splitName(key)
		named := naming{document, name, owner, files[name]}
		isKnown := func(other naming) bool { return other.document == document }
		if !isCode(key) {
			name = foldName(name)
		}
		if !slices.ContainsFunc(n.by[name], isKnown) {
			n.by[name] = append(n.by[name], named)
		}
	}
}

var separator = lazyregexp.New(`\.|::|#|->`)

// isCode reports whether a key is a route or a flag.
func isCode(key string) bool { return strings.HasPrefix(key, "/") || strings.HasPrefix(key, "-") }

// splitName returns the last part of a name such as Pool.Close, and its owner, the part before.
func splitName(name string) (owner, last string) {
	if isCode(name) {
		return "", name
	}
	parts := separator().Split(name, -1)
	if len(parts) > 1 {
		owner = parts[len(parts)-2]
	}
	return owner, parts[len(parts)-1]
}

// foldName returns a name in lower case without underscores, because languages spell the same name differently.
func foldName(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// common are words that are in names of every program.
var common = strings.Fields(`
	a add admin all any app application apply args argument array as async at auth base begin bool bytes build button by cache
	call callback change check class cli click client close cls code command common component config configuration connect
	connection content context control controller convert copy core count create current data database date db debug default
	del delete dict dir do done edit element empty end entity entry env equals err error event exception execute exists exit
	export factory fetch field file filter find first flag float flush for format found from func function get getter global
	go group handle handler hash has header helper home host html http id impl import in index info init input insert instance
	int interface invalid is item iterator join json key kind label last len length level lib line link list listener load log
	logger login main make manager map max message meta method middleware min mock mode model module move name new next no node
	not null number object of off old on one open option options or order out output page param params parent parse parser path
	ping pop port post prefix print private process project provider public push put query queue read ready recv reduce ref register
	reload remove render repo repository request reset resolve resource response result return root route router row run save
	scan schema search self send server service session set setter settings setup size sort source spec start state status step
	stop store str stream string struct submit suffix sum sync table task tear test tests text time timeout to toggle token
	total type uri update upload url use user util utils uuid valid validate value values var verify version view void wait
	warning web widget with work worker wrap write xml`)

var namePart = lazyregexp.New(`[A-Z]+(?:[a-z]+|\d+|\b|_)|[A-Z]?[a-z]+|[A-Z]+|\d+`)

// tellingName returns the weight of a name that is in a document and in a file. A route, a flag and a name of several
// parts have 1, and a single word has .5. A name with only common parts has 0.
func tellingName(name string) float64 {
	const shortest, shortestWord = 6, 7
	parts := namePart().FindAllString(name, -1)
	isTelling := slices.ContainsFunc(parts, func(part string) bool {
		part = strings.ToLower(strings.Trim(part, "_"))
		return len(part) > 2 && !slices.Contains(common, part) && !slices.Contains(common, strings.TrimSuffix(part, "s"))
	})
	switch {
	case isCode(name), isTelling && len(parts) > 1 && len(name) >= shortest:
		return 1
	case isTelling && len(name) >= shortestWord:
		return .5
	default:
		return 0
	}
}

// In returns the documents with names that a text of code defines, best first. The names of a document need a total
// weight of 1: one name of several parts, or two words. The path of the file tells the language.
func (n *Names) In(file, text string) []Match {
	if len(n.by) == 0 {
		return nil
	}
	found, base := map[int]Match{}, foldName(strings.TrimSuffix(path.Base(file), path.Ext(file)))
	isKnown := func(key string) bool { return len(n.by[key]) > 0 && len(n.by[key]) <= mostNaming }
	for _, key := range definitions(file, text, isKnown) {
		for _, named := range n.by[key] {
			weight := tellingName(named.text)
			isType := strings.ToLower(named.owner) != named.owner && tellingName(named.owner) > 0
			if foldName(named.owner) == base || isType && strings.Contains(text, named.owner) {
				weight = 1
			}
			m := found[named.document]
			if weight > 0 && (named.file == "" || named.file == file) {
				found[named.document] = Match{Document: named.document, Text: cmp.Or(m.Text, named.text), weight: m.weight + weight}
			}
		}
	}
	matches := slices.SortedFunc(maps.Values(found), func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.Document, b.Document))
	})
	return slices.DeleteFunc(matches, func(m Match) bool { return m.weight < 1 })
}
