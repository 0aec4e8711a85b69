package index

import (
	"fmt"
	"path"
	"strings"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// FilesField is the field of the front matter that names the files of the repository that
// a document is about.
const FilesField = "files_involved"

// maxPlaces bounds the places kept of one document.
const maxPlaces = 200

// CitedPlace is a place of the repository that a document cites.
type CitedPlace struct {
	document.Place

	// Line is the line of the document, 0 for a place of FilesField. Field is the place's
	// index in that field, -1 for a place of the text.
	Line, Field int
	// Raw is the place as the document writes it.
	Raw string
}

// citedPlaces returns the places that the document at source cites, in the front matter
// and then in the text. root is as in [rooted].
func citedPlaces(source, root string, parsed *markdown.Document) []CitedPlace {
	var places []CitedPlace
	list, _ := parsed.FrontMatter[FilesField].([]any)
	for i, item := range list {
		raw, _ := item.(string)
		raw = strings.TrimSpace(raw)
		place, ok := markdown.ParsePlace(raw)
		if !ok {
			place = markdown.Place{Path: raw, Raw: raw} // any name will do where a file is meant
		}
		if strings.ContainsAny(place.Path, "*?[{\x00\n") {
			continue // a pattern names no place
		}
		if cited, ok := resolvePlace(source, place); ok {
			cited.Field = i
			places = append(places, cited)
		}
	}
	for _, place := range parsed.Places() {
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

// resolvePlace makes a place relative to the repository, and false if it is outside.
func resolvePlace(source string, place markdown.Place) (CitedPlace, bool) {
	target := strings.TrimPrefix(path.Clean("/"+place.Path), "/")
	isInside := insideRepository(target)
	if place.Link || strings.HasPrefix(place.Path, "../") {
		target, isInside = resolveLink(source, place.Path)
	}
	if strings.HasSuffix(place.Path, "/") {
		target += "/"
	}
	return CitedPlace{
		Place: document.Place{Path: target, First: place.First, Last: place.Last, Symbol: place.Symbol},
		Field: -1, Raw: place.Raw,
	}, isInside
}

// storedLines writes places or quotes for the database, each once, as lines.
func storedLines[T fmt.Stringer](all []T) string {
	var lines []string
	seen := map[string]bool{}
	for _, item := range all {
		if line := item.String(); !seen[line] && !strings.ContainsAny(line, "\n\x00") {
			seen[line] = true
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
