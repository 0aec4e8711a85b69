package said

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// Citation is a place in a repository's files that a document cites, such as src/pool.go:12-20.
type Citation struct {
	// Path is the path as the document writes it, without line numbers. Link says that the path is the destination of a
	// link: it is then relative to the document.
	Path string
	Link bool
	// First and Last are the first and the last line that the place names, 0 for none.
	First, Last int
	// Symbol is the name of a definition beside the path, such as a function or a type. It may be "".
	Symbol string
	// Line is the line of the document that cites the place, counted from 1.
	Line int
}

// fileName matches a file name with an extension, with or without folders before the name.
const fileName = `(?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,9}`

var (
	codeSpan = lazyregexp.New("`([^`]+)`")
	// placeLines matches line numbers after a path: :12, :12-30, :12:5, #L12, #L12-L30.
	placeLines = lazyregexp.New(`(?::(\d{1,7})(?:-(\d{1,7})|:\d{1,5})?|#L(\d{1,7})(?:-L?(\d{1,7}))?)$`)
	// barePlace matches a path with line numbers outside of code spans.
	barePlace = lazyregexp.New(`(?:^|[\s("'\[])(` + fileName + `(?::\d{1,7}(?:-\d{1,7}|:\d{1,5})?|#L\d{1,7}(?:-L?\d{1,7})?))` +
		`(?:$|[\s)"'\],.;:!?])`)
	// pathLike matches a file name with an extension, or any name behind at least one folder.
	pathLike = lazyregexp.New(`^(?:\.{0,2}/)*` + fileName + `$|^(?:\.{0,2}/)*(?:[\w.@+-]+/)+[\w.@+-]+/?$`)
	// linkPlace matches a link with its destination. For a picture, the match begins with "!".
	linkPlace  = lazyregexp.New(`(?:!\[[^\]]*)?\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)`)
	identifier = lazyregexp.New(`^\*?([A-Za-z_]\w*(?:(?:\.|::|#)[A-Za-z_]\w*)*)(?:\(\))?$`)
)

// Places returns the places that a document cites, line by line: paths in code spans, paths with line numbers anywhere,
// and links to files except documents. It skips blocks of code, because a stack trace may come from any program.
func Places(document *markdown.Document) []Citation {
	var places []Citation
	for i, line := range document.TextLines() {
		places = append(places, placesOfLine(line, i+1)...)
	}
	return places
}

// placesOfLine returns the places in a line of text: those in code spans, then links, then paths with line numbers.
func placesOfLine(line string, number int) []Citation {
	if !strings.ContainsAny(line, "`:#](") {
		return nil
	}
	places := placesInCode(line)
	rest := []byte(codeSpan().ReplaceAllStringFunc(line, func(span string) string { return strings.Repeat(" ", len(span)) }))
	links := bytes.Count(rest, []byte("](")) // 0 for most lines, so that these are not searched
	for _, found := range linkPlace().FindAllSubmatchIndex(rest, links) {
		destination := string(rest[found[2]:found[3]])
		isPicture := rest[found[0]] == '!' // a picture is a part of the document, not a place that it cites
		copy(rest[found[0]:found[1]], bytes.Repeat([]byte(" "), found[1]-found[0]))
		target, ok := markdown.RelativeLink(destination)
		if !ok || isPicture || markdown.HasExtension(target) {
			continue
		}
		if place, ok := ParsePlace(destination); ok {
			place.Link = true
			places = append(places, place)
		}
	}
	if namesLines(rest) {
		for _, found := range barePlace().FindAllSubmatch(rest, -1) {
			if place, ok := ParsePlace(string(found[1])); ok {
				places = append(places, place)
			}
		}
	}
	for i := range places {
		places[i].Line = number
		if places[i].First > 0 {
			places[i].Symbol = "" // the lines are more exact
		}
	}
	return places
}

// namesLines reports whether a text may contain a path with line numbers. Only such a text is searched for paths.
func namesLines(text []byte) bool {
	for i, b := range text[:max(0, len(text)-1)] {
		next := text[i+1]
		if b == ':' && next >= '0' && next <= '9' || b == '#' && next == 'L' {
			return true
		}
	}
	return false
}

// nearSymbol is how many bytes may stand between a path and its symbol, such as " in " or " (".
const nearSymbol = 12

// placesInCode returns the places in code spans. The symbol of a path is the identifier in the span before the path.
// Without such an identifier, the span after the path counts.
func placesInCode(line string) []Citation {
	var places []Citation
	beside := -1 // index of the place that may get its symbol from the next span, -1 for none
	symbol, end := "", 0
	for _, span := range codeSpan().FindAllStringSubmatchIndex(line, -1) {
		text := strings.TrimSpace(line[span[2]:span[3]])
		isNear := span[0]-end <= nearSymbol
		if place, ok := ParsePlace(text); ok {
			if symbol != "" && isNear {
				place.Symbol = symbol
			}
			places = append(places, place)
			beside, symbol, end = len(places)-1, "", span[1]
			continue
		}
		name := identifier().FindStringSubmatch(text)
		switch {
		case name == nil:
		case beside >= 0 && places[beside].Symbol == "" && isNear:
			places[beside].Symbol, beside = name[1], -1
		default:
			symbol, end = name[1], span[1]
		}
	}
	return places
}

// ParsePlace reads a place such as src/pool.go:12-20. It returns false if the text is no path, or the path of a
// document. It does not check whether the file exists.
func ParsePlace(raw string) (Citation, bool) {
	place := Citation{Path: raw}
	if found := placeLines().FindStringSubmatchIndex(raw); found != nil {
		place.Path = raw[:found[0]]
		number := func(i int) int {
			if found[2*i] < 0 {
				return 0
			}
			n, _ := strconv.Atoi(raw[found[2*i]:found[2*i+1]]) // at most seven digits
			return n
		}
		place.First, place.Last = max(number(1), number(3)), max(number(2), number(4))
		if place.Last < place.First {
			place.Last = place.First
		}
	}
	if before, name, found := strings.Cut(place.Path, "::"); found && identifier().MatchString(name) {
		place.Path, place.Symbol = before, name
	}
	if len(place.Path) > maxPlacePath || !pathLike().MatchString(place.Path) || markdown.HasExtension(place.Path) ||
		strings.ContainsFunc(place.Path, unicode.IsControl) ||
		!strings.Contains(place.Path, "/") && otherName().MatchString(place.Path) {
		return Citation{}, false
	}
	return place, true
}

// maxPlacePath bounds a path, in bytes.
const maxPlacePath = 300

// otherName matches texts that only look like the name of a file: versions, addresses and identifiers, such as v1.2.x,
// example.com and pgx.ErrNoRows.
var otherName = lazyregexp.New(`^v?\d+\.|\.(?:com|org|net|io|dev|ai|[A-Z]\w*[a-z]\w*)$`)
