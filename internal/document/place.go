package document

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Place is a place in the repository's files, such as src/pool.go:12-20.
type Place struct {
	// Path is relative to the repository, with / separators.
	Path string
	// First and Last are the lines, from 1; 0 for the whole file.
	First, Last int
	// Symbol is the name of a definition in the file, such as a function; "" for none.
	Symbol string
}

// String returns the place as src/pool.go:12-20, src/pool.go:12 or src/pool.go#NewPool.
func (p Place) String() string {
	switch {
	case p.First > 0 && p.Last > p.First:
		return fmt.Sprintf("%s:%d-%d", p.Path, p.First, p.Last)
	case p.First > 0:
		return fmt.Sprintf("%s:%d", p.Path, p.First)
	case p.Symbol != "":
		return p.Path + "#" + p.Symbol
	default:
		return p.Path
	}
}

var placeText = regexp.MustCompile(`^(.+?)(?::(\d{1,7})(?:-(\d{1,7}))?|#([^/#]+))?$`)

// ParsePlace parses a place in the form of [Place.String]. Any other text becomes a path.
func ParsePlace(text string) Place {
	found := placeText.FindStringSubmatch(text)
	if found == nil {
		return Place{Path: text}
	}
	p := Place{Path: norm.NFC.String(found[1]), Symbol: found[4]}
	p.First, _ = strconv.Atoi(found[2]) // "" is 0
	p.Last, _ = strconv.Atoi(found[3])
	p.Last = max(p.First, p.Last)
	return p
}

// Overlaps reports whether two places have a line in common. A path that ends with "/" is a folder, and overlaps all
// files in it. A symbol counts as the whole file.
func (p Place) Overlaps(other Place) bool {
	if p.Path != other.Path {
		return strings.HasSuffix(p.Path, "/") && strings.HasPrefix(other.Path, p.Path) ||
			strings.HasSuffix(other.Path, "/") && strings.HasPrefix(p.Path, other.Path)
	}
	return p.First == 0 || other.First == 0 || p.First <= other.Last && other.First <= p.Last
}
