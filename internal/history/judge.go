package history

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/document"
)

// State says how a cited place has changed since the document cited it.
type State int

// The states.
const (
	Same    State = iota // the place has the same lines
	Moved                // the lines are elsewhere in the file, or the file has another path
	Changed              // the place has other lines
	Gone                 // the file is gone
	Unknown              // the file is too large, was not found in time, or is missing now and in the compared commit
)

// compare sets State and Now of each cite: how the cited place has changed, and where its lines are now.
func compare(ctx context.Context, folder Folder, root *contain.Root, cites []*cite) error {
	versions := make([]Version, len(cites))
	for i, cite := range cites {
		versions[i] = cite.original
	}
	return folder.Contents(ctx, versions, func(i int, before Content) {
		cites[i].State, cites[i].Now = judgeFile(root, cites[i].Now, before)
	})
}

// judgeFile compares the present file at the path of a place with the file's former content. It returns the state, and
// the place where the lines are now.
func judgeFile(root *contain.Root, place document.Place, before Content) (State, document.Place) {
	exists := root.Exists(strings.TrimSuffix(place.Path, "/"))
	now, err := root.Read(place.Path, contain.MaxDocument)
	switch {
	case !exists && (before.Exists || before.Folder):
		return Gone, place
	case !exists, before.TooLarge, errors.As(err, new(*contain.TooLargeError)):
		return Unknown, place
	case !before.Exists || err != nil:
		return Same, place // the document is older than the file, or the place is a folder
	}
	return judge(place, linesOf(before.Text), linesOf(now.Content))
}

func linesOf(content []byte) []string {
	text := strings.ReplaceAll(string(content), "\r\n", "\n")
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// judge compares the former lines of a file with the present lines. For the results see judgeFile.
func judge(place document.Place, before, now []string) (state State, at document.Place) {
	if slices.Equal(before, now) {
		return Same, place
	}
	if place.Symbol != "" {
		return judgeSymbol(place, before, now)
	}
	first, last := place.First, min(place.Last, len(before))
	if first == 0 || first > len(before) {
		return Changed, place // the place counts as the whole file
	}
	switch line := matchingLine(before, now, first, last); line {
	case 0:
		return Changed, place
	case first:
		return Same, place
	default:
		place.First, place.Last = line, line+last-first
		return Moved, place
	}
}

// judgeSymbol compares the former and the present definition of a place's symbol, wherever in the file they are.
func judgeSymbol(place document.Place, before, now []string) (State, document.Place) {
	first, last := definition(before, place.Symbol)
	if first == 0 {
		return Changed, place // the place counts as the whole file
	}
	present, end := definition(now, place.Symbol)
	if present == 0 || trimmed(before[first-1:last]) != trimmed(now[present-1:end]) {
		return Changed, place
	}
	return Same, place
}

// matchingLine looks in the present file for the lines first to last of the former file. It returns the line where they
// begin now, or 0. It prefers a match that includes neighbouring lines. Lines with fewer than two words, such as a
// bracket, occur in many places. So they match only together with neighbouring lines, or at their former line number.
func matchingLine(before, now []string, first, last int) int {
	for _, around := range []int{3, 1, 0} {
		from, to := max(first-around, 1), min(last+around, len(before))
		line := nearest(now, before[from-1:to], from)
		isTelling := len(words.FindAllString(strings.Join(before[first-1:last], "\n"), 2)) == 2
		if line > 0 && (around > 0 || line == first || isTelling) {
			return line + first - from
		}
	}
	return 0
}

// nearest returns the line at which block begins, or 0. Of several such lines, it returns the nearest to line origin.
func nearest(lines, block []string, origin int) int {
	text := trimmed(block)
	split := min(origin-1, len(lines))
	above, below := trimmed(lines[:min(split+len(block)-1, len(lines))]), trimmed(lines[split:])
	before, after := strings.LastIndex(above, text), strings.Index(below, text)
	lineBefore, lineAfter := 0, 0
	if before >= 0 {
		lineBefore = 1 + strings.Count(above[:before], "\n")
	}
	if after >= 0 {
		lineAfter = split + 1 + strings.Count(below[:after], "\n")
	}
	if lineBefore == 0 || lineAfter > 0 && lineAfter-origin < origin-lineBefore {
		return lineAfter
	}
	return lineBefore
}

// trimmed joins lines without the space around each. A line break stands before and after every line.
func trimmed(lines []string) string {
	var joined strings.Builder
	joined.WriteString("\n")
	for _, line := range lines {
		joined.WriteString(strings.TrimSpace(line) + "\n")
	}
	return joined.String()
}

var words = regexp.MustCompile(`\w{2,}`)

// definition returns the first and the last line of a symbol's definition, or 0 and 0. It knows no programming
// language. A definition begins at a line with the name behind a word such as func or class, or before a parenthesis, a
// colon or an equals sign. Of several such lines, the least indented line counts. Indentation also shows the last line.
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
