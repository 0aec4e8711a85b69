package staleness

import (
	"regexp"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/document"
)

// State says what became of a cited place.
type State int

// The states.
const (
	// Same has the lines that it had.
	Same State = iota
	// Moved has the lines elsewhere: in the file, or under the file's new name.
	Moved
	// Changed has other lines.
	Changed
	// Gone has no file any more.
	Gone
	// Unknown was not there when the document was written, since it may be of another
	// repository, or is a file that is too large to be compared.
	Unknown
)

// judge compares a place of a file as it was with the file as it is. It returns where the
// lines are now, if they are anywhere.
func judge(place document.Place, before, now []string) (state State, at document.Place) {
	first, last := place.First, place.Last
	switch {
	case place.Symbol != "":
		if first, last = definition(before, place.Symbol); first == 0 {
			return wholeFile(place, before, now)
		}
	case first == 0 || first > len(before):
		return wholeFile(place, before, now)
	}
	last = min(last, len(before))
	if place.Symbol != "" {
		return judgeSymbol(place, before[first-1:last], now)
	}
	found := find(before, now, first, last)
	switch {
	case found == 0:
		return Changed, place
	case found == first:
		return Same, place
	}
	place.First, place.Last = found, found+last-first
	return Moved, place
}

func wholeFile(place document.Place, before, now []string) (State, document.Place) {
	if slices.Equal(before, now) {
		return Same, place
	}
	return Changed, place
}

// judgeSymbol looks for the definition by its name: where it stands says nothing.
func judgeSymbol(place document.Place, before, now []string) (State, document.Place) {
	first, last := definition(now, place.Symbol)
	if first == 0 || !slices.EqualFunc(before, now[first-1:last], sameLine) {
		return Changed, place
	}
	return Same, place
}

// find returns the line at which the lines first to last of before stand in now, 0 for
// none. Of several places it takes the one with the most of the same lines around it, and
// of these the nearest.
func find(before, now []string, first, last int) int {
	cited := before[first-1 : last]
	const around = 3
	best, bestScore := 0, -1
	for at := 1; at+len(cited)-1 <= len(now); at++ {
		if !slices.EqualFunc(cited, now[at-1:at-1+len(cited)], sameLine) {
			continue
		}
		score := 0
		for i := 1; i <= around; i++ {
			if lineAt(before, first-i) == lineAt(now, at-i) {
				score++
			}
			if lineAt(before, last+i) == lineAt(now, at+len(cited)-1+i) {
				score++
			}
		}
		if score > bestScore || score == bestScore && distance(at, first) < distance(best, first) {
			best, bestScore = at, score
		}
	}
	// A line such as "}" stands everywhere.
	if best != first && trivial(cited) && bestScore < around {
		return 0
	}
	return best
}

// trivial reports whether lines have hardly a letter, so that they are found anywhere.
func trivial(lines []string) bool {
	letters := 0
	for _, line := range lines {
		letters += len(words.FindAllString(line, -1))
	}
	return letters < 2
}

var words = regexp.MustCompile(`\w{2,}`)

func sameLine(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }

// lineAt returns a line without the space around it, and "" beyond the file.
func lineAt(lines []string, n int) string {
	if n < 1 || n > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[n-1])
}

func distance(a, b int) int { return max(a-b, b-a) }

// definition returns the lines of the definition of a symbol, 0 for none: from the line
// that defines it to the line that closes it, as the indentation says. It knows no
// language: a definition is a line in which the name follows a word such as func or class,
// or precedes a parenthesis, a colon or an equals sign, the less indented the better.
func definition(lines []string, symbol string) (first, last int) {
	if i := strings.LastIndexAny(symbol, ".:#"); i >= 0 {
		symbol = symbol[i+1:]
	}
	name := regexp.QuoteMeta(symbol)
	const keywords = `\b(?:func|function|fn|def|class|type|struct|interface|enum|trait|impl|module|const|var|let|val|static|` +
		`public|private|protected|export|macro|record|object|message|service|rule|table|TABLE|view|VIEW)\b`
	patterns := []*regexp.Regexp{
		regexp.MustCompile(keywords + `\s+(?:\([^)]*\)\s*)?` + name + `\b`),
		regexp.MustCompile(keywords + `.*\b` + name + `\b`),
		regexp.MustCompile(`^\s*[\w.\s*&<>\[\],"']*\b` + name + `["']?\s*(?:\(|:|=|\{)`),
	}
	for _, pattern := range patterns {
		for i, line := range lines {
			if pattern.MatchString(line) && (first == 0 || indent(line) < indent(lines[first-1])) {
				first = i + 1
			}
		}
		if first > 0 {
			return first, blockEnd(lines, first)
		}
	}
	return 0, 0
}

// blockEnd returns the last line of the block that begins with a line.
func blockEnd(lines []string, first int) int {
	depth, last := indent(lines[first-1]), first
	for i := first; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		switch {
		case line == "":
			continue
		case indent(lines[i]) > depth:
			last = i + 1
		case indent(lines[i]) == depth && strings.ContainsAny(line[:1], ")}]") || line == "end":
			return i + 1
		default:
			return last
		}
	}
	return last
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
