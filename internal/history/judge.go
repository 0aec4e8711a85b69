package history

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
	Same    State = iota // it has the same lines
	Moved                // the lines are elsewhere in the file, or the file has another name
	Changed              // it has other lines
	Gone                 // the file is gone
	Unknown              // the file is too large, git takes too long, or it did not exist then: it may be another repository's
)

// judge compares a place of a file as it was with the file as it is. It returns where the lines are now.
func judge(place document.Place, before, now []string) (state State, at document.Place) {
	if place.Symbol != "" {
		return judgeSymbol(place, before, now)
	}
	first, last := place.First, min(place.Last, len(before))
	if first == 0 || first > len(before) {
		return wholeFile(place, before, now)
	}
	switch line := find(before, now, first, last); line {
	case 0:
		return Changed, place
	case first:
		return Same, place
	default:
		place.First, place.Last = line, line+last-first
		return Moved, place
	}
}

func wholeFile(place document.Place, before, now []string) (State, document.Place) {
	if slices.Equal(before, now) {
		return Same, place
	}
	return Changed, place
}

// judgeSymbol looks for the definition by its name, wherever it is.
func judgeSymbol(place document.Place, before, now []string) (State, document.Place) {
	first, last := definition(before, place.Symbol)
	if first == 0 {
		return wholeFile(place, before, now)
	}
	present, end := definition(now, place.Symbol)
	if present == 0 || !slices.EqualFunc(before[first-1:last], now[present-1:end], sameLine) {
		return Changed, place
	}
	return Same, place
}

// find returns the line of now where the lines first to last of before begin, or 0. Of several matches
// it takes the one with the most equal lines around it, and then the nearest.
func find(before, now []string, first, last int) int {
	cited := before[first-1 : last]
	const around = 3
	best, bestScore := 0, -1
	// borders[i] is how many of the cited lines end at a line (Knuth, Morris and Pratt): a repository may have large files.
	lines := slices.Concat(cited, []string{"no\nline"}, now)
	borders := make([]int, len(lines))
	for i := 1; i < len(lines); i++ {
		n := borders[i-1]
		for n > 0 && !sameLine(lines[i], lines[n]) {
			n = borders[n-1]
		}
		if sameLine(lines[i], lines[n]) {
			n++
		}
		borders[i] = n
		if n < len(cited) {
			continue
		}
		at := i - 2*len(cited) + 1
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
	// A line such as "}" is everywhere.
	if best != first && trivial(cited) && bestScore < around {
		return 0
	}
	return best
}

// trivial reports whether lines have hardly a word, as "}".
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

// definition returns the first and last line of a symbol's definition, or 0. It knows no language. The
// name follows a word such as func or class, or precedes a parenthesis, a colon or an equals sign, in
// the least indented of such lines. Indentation shows the last line.
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
