package terms

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// minPastedLines is how many lines make a text a pasted one, and minBeside a text beside which some are pasted. A
	// question of three lines is better asked as a whole.
	minPastedLines, minBeside = 8, 3
	// minSaid is how many words the longest block has if something is said. Messages of programs have fewer.
	minSaid = 9
	// A sentence has at least minSentence words. sentenceShare of them are stop words, and plainShare have letters
	// alone: code and the output of programs have fewer.
	minSentence, sentenceShare, plainShare = 4, .2, .7
)

// Parts splits a text into what its writer says and the lines that were pasted beside it, such as a log or code. said
// is empty for a text that was pasted as a whole, and pasted is empty for one that was written.
func Parts(text string) (said string, pasted []string) {
	blocks, lines := blocksOf(text)
	longest := 0
	for _, b := range blocks {
		longest = max(longest, b.words)
	}
	var sentences []string
	for _, b := range blocks {
		if 2*b.words >= longest { // programs print some sentences too
			sentences = append(sentences, b.lines...)
		}
	}
	pasted = slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return slices.Contains(sentences, line) })
	switch isSaid := longest >= minSaid; {
	case isSaid && len(pasted) >= minBeside:
		return strings.Join(sentences, "\n"), pasted
	case !isSaid && len(lines) >= minPastedLines:
		return "", lines
	default:
		return text, nil
	}
}

// block is sentences without another line or a blank one between them.
type block struct {
	lines []string
	words int
}

// blocksOf returns the blocks of a text, and all its lines that are not blank. Code, and what is quoted or indented, is
// no sentence.
func blocksOf(text string) (blocks []block, lines []string) {
	isCode, isOpen := false, false
	for line := range strings.Lines(text) {
		isQuoted := strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    ") || strings.HasPrefix(line, ">")
		line = strings.TrimSpace(line)
		if line != "" {
			lines = append(lines, line)
		}
		isFence := strings.HasPrefix(line, "```")
		isCode = isCode != isFence
		words := sentenceWords(line)
		if isQuoted || isCode || isFence || words == 0 {
			isOpen = false
			continue
		}
		if !isOpen {
			blocks, isOpen = append(blocks, block{}), true
		}
		last := &blocks[len(blocks)-1]
		last.lines, last.words = append(last.lines, line), last.words+words
	}
	return blocks, lines
}

// sentenceWords returns how many words of a line have letters alone if it reads as somebody's own words, in a language
// that has stop words. It returns 0 for another line, such as one of code or of a log.
func sentenceWords(line string) int {
	all, plain, stop := 0, 0, 0
	for word := range strings.FieldsSeq(line) {
		word = strings.Trim(word, "`'\"*_()[],.;:!?-")
		if word == "" {
			continue
		}
		all++
		if strings.IndexFunc(word, isNoLetter) >= 0 {
			continue
		}
		plain++
		if utf8.RuneCountInString(word) > 1 && len(queryLanguagesOf()[lowered(word)]) > 0 {
			stop++
		}
	}
	if all < minSentence || float64(stop) < sentenceShare*float64(all) || float64(plain) < plainShare*float64(all) {
		return 0
	}
	return plain
}

func isNoLetter(r rune) bool { return !unicode.IsLetter(r) && !strings.ContainsRune("'’-", r) }
