package index

import (
	"path"
	"strings"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/said"
)

// FilesField is the field of the front matter that names the files of the repository that a document is about.
const FilesField = "files_involved"

// maxPlaces bounds the places that the index stores of one document.
const maxPlaces = 200

// CitedPlace is a place of the repository that a document cites.
type CitedPlace struct {
	document.Place

	// Line is the line of the document that cites the place, 0 for a place of FilesField. Field is the index of the place
	// in FilesField, -1 for a place of the text.
	Line, Field int
}

// citedPlaces returns the places that the document at source cites: first from the front matter, then from the text.
// root is the folder of the repository in which links that begin with / start.
func citedPlaces(source, root string, parsed *markdown.Document) []CitedPlace {
	var places []CitedPlace
	list, _ := parsed.FrontMatter[FilesField].([]any)
	for i, item := range list {
		raw, _ := item.(string)
		raw = strings.TrimSpace(raw)
		place, ok := said.ParsePlace(raw)
		if !ok {
			place = said.Citation{Path: raw} // the field lists files, so any text is a path
		}
		if strings.ContainsAny(place.Path, "*?[{\x00\n") {
			continue // a pattern names no place
		}
		if cited, ok := resolvePlace(source, place); ok {
			cited.Field = i
			places = append(places, cited)
		}
	}
	for _, place := range said.Places(parsed) {
		if place.Link {
			place.Path = rooted(root, place.Path)
		}
		if cited, ok := resolvePlace(source, place); ok {
			cited.Line = place.Line
			places = append(places, cited)
		}
	}
	return places[:min(len(places), maxPlaces)]
}

// resolvePlace returns a place with its path relative to the repository, and false if it is outside.
func resolvePlace(source string, place said.Citation) (CitedPlace, bool) {
	target := strings.TrimPrefix(path.Clean("/"+place.Path), "/")
	isInside := insideRepository(target)
	if place.Link || strings.HasPrefix(place.Path, "../") {
		target, isInside = resolveLink(source, place.Path)
	}
	if strings.HasSuffix(place.Path, "/") {
		target += "/"
	}
	cited := document.Place{Path: target, First: place.First, Last: place.Last, Symbol: place.Symbol}
	return CitedPlace{Place: cited, Field: -1}, isInside
}

var (
	// fieldName matches a name of code: one of several words, such as seat_lock or seatLock, or a function.
	fieldName = lazyregexp.New(`^(?:\w+(?:\.|::|#))*[A-Za-z]+(?:_\w+|[a-z0-9][A-Z]\w*(?:\(\))?|\w*\(\))$`)
	kebabName = lazyregexp.New(`^[a-z][a-z0-9]*(?:-[a-z0-9]+)+$`)
)

// namesOf returns the names of code in texts of the front matter. A tag such as seat-lock counts as the name seat_lock.
func namesOf(texts []string) (names []string) {
	for _, text := range texts {
		if kebabName().MatchString(text) {
			text = strings.ReplaceAll(text, "-", "_")
		}
		for word := range strings.FieldsSeq(text) {
			word = strings.Trim(word, "`,;:.\"'")
			mayMatch := len(word) > 1 && strings.ContainsAny(word[1:], "_(ABCDEFGHIJKLMNOPQRSTUVWXYZ")
			if mayMatch && fieldName().MatchString(word) { // the expression takes long, and most words are sorted out before
				names = append(names, word)
			}
		}
	}
	return names[:min(len(names), maxPlaces)]
}

// storedLines joins distinct texts by newlines for the database. It leaves out texts with a newline or NUL.
func storedLines(all []string) string {
	var lines []string
	seen := map[string]bool{}
	for _, line := range all {
		if !seen[line] && !strings.ContainsAny(line, "\n\x00") {
			seen[line] = true
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
