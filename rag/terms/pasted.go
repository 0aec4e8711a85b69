package terms

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
)

const (
	// A text without sentences counts as pasted if it has at least minPastedLines lines. In a text with sentences, at
	// least minBeside other lines count as pasted. With fewer lines, a search for the whole text works better.
	minPastedLines, minBeside = 8, 3
	// The longest block of sentences is written by a person if it has at least minSaid words: messages of programs have
	// fewer. If the text also has minBeside lines of a log, minAsked words are enough.
	minSaid, minAsked = 9, 5
	// A line is a sentence if it has at least minSentence words. At least sentenceShare of the words are stop words, and
	// at least plainShare have only letters. Code and the output of programs have fewer such words.
	minSentence, sentenceShare, plainShare = 4, .2, .7
)

// Parts splits a text into what its writer says and the lines that the writer pasted, such as a log or code. said is ""
// if the whole text was pasted, and pasted is nil if nothing was.
func Parts(text string) (said string, pasted []string) {
	logged := loggedLines(text)
	blocks, lines := blocksOf(text, logged)
	longest := 0
	for _, b := range blocks {
		longest = max(longest, b.words)
	}
	var sentences []string
	for _, b := range blocks {
		if 2*b.words >= longest { // programs print sentences too, but shorter blocks of them
			sentences = append(sentences, b.lines...)
		}
	}
	pasted = slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return slices.Contains(sentences, line) })
	least := minSaid
	if len(logged) >= minBeside {
		least = minAsked
	}
	switch isSaid := longest >= least; {
	case isSaid && len(pasted) >= minBeside:
		return withoutGreetings(strings.Join(sentences, "\n")), pasted
	case !isSaid && len(lines) >= minPastedLines:
		return "", lines
	default:
		return withoutGreetings(text), nil
	}
}

var (
	// logForm matches a line of a log by its form: by a time or a level at its beginning, a frame of a stack trace, a
	// place in a file such as main.go:12, fields such as key=value, or a name in code before a colon.
	logForm = lazyregexp.New(`^.{0,40}?\d{1,2}:\d\d:\d\d|^\W{0,3}(?:\d{4}[-/]\d\d[-/]\d\d|\d+\.\d{3,})|^[IWEF]\d{4} |` +
		`^\W{0,3}(?i:trace|debug|info|notice|warn|warning|error|fatal|critical|panic|err)(?:\]|:|\s*\||\s\s)|` +
		`\b(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b|` +
		`^(?:at \S+[.:(]|File "|goroutine \d|#\d+ )|\S+\.\w+:\d+\b|^\S+=\S+ .*=|^[{<].*[}>]$|` +
		`^[\w.$/-]*(?:[a-z][A-Z]|[._$/])[\w.$/-]*: |\):$`)
	// listForm matches the beginning of an item of a list. Such lines begin alike, but a person writes them.
	listForm = lazyregexp.New(`^(?:[-*+]|\d{1,2}[.)]) `)
	digits   = lazyregexp.New(`\d+`)
	letters  = lazyregexp.New(`[\pL'’]+`)
)

// loggedLines returns the lines of a text that belong to a log: they match logForm, or several lines begin alike. Lines
// begin alike if their first two words are equal, or have numbers and signs in the same places.
func loggedLines(text string) map[string]bool {
	const alike = 4 // how many lines must begin alike
	logged, beginnings := map[string]bool{}, map[string][]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if _, known := logged[line]; known {
			continue
		}
		logged[line] = logForm().MatchString(line)
		words := strings.Fields(line)
		if len(words) < 2 || listForm().MatchString(line) {
			continue
		}
		first := words[0] + " " + words[1]
		beginnings[first] = append(beginnings[first], line)
		shape := letters().ReplaceAllString(digits().ReplaceAllString(first, "0"), "a")
		if strings.Trim(shape, "a ,.;:?!-\"()") != "" {
			beginnings[shape] = append(beginnings[shape], line)
		}
	}
	for _, lines := range beginnings {
		for _, line := range lines {
			logged[line] = logged[line] || len(lines) >= alike
		}
	}
	maps.DeleteFunc(logged, func(_ string, isLogged bool) bool { return !isLogged })
	return logged
}

var (
	greeting = lazyregexp.New(`(?i)^\s*(?:hello|hi|hey|dear|good (?:morning|afternoon|evening|day)|hallo|guten (?:tag|morgen)|` +
		`bonjour|hola)\b(?: \pL+){0,2}\s*[,.!:\n]+\s*`)
	thanks = lazyregexp.New(`(?i)(?:^|[.?!\n]\s*)((?:(?:many|kind|best|a lot of) )?` +
		`(?:thanks|thank you|thx|cheers|regards|danke|vielen dank|merci|gracias)\b[^?\n]{0,80}(?:\n[^?]{0,30})?)$`)
)

// withoutGreetings removes a greeting at the beginning of a text and thanks at its end. If nothing else is in the text,
// it returns the text unchanged.
func withoutGreetings(text string) string {
	asked := greeting().ReplaceAllString(text, "")
	if found := thanks().FindStringSubmatchIndex(asked); found != nil {
		asked = strings.TrimSpace(asked[:found[2]])
	}
	return cmp.Or(asked, text)
}

// block is a run of lines with sentences. A blank line or a line without a sentence ends it.
type block struct {
	lines []string
	words int
}

// blocksOf returns the blocks of sentences in a text, and all lines that are not blank. Code, quoted, indented and
// logged lines are no sentences. In a text with a log, the first lines need no stop words to be sentences.
func blocksOf(text string, logged map[string]bool) (blocks []block, lines []string) {
	isCode, isOpen := false, false
	for line := range strings.Lines(text) {
		isQuoted := strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    ") || strings.HasPrefix(line, ">")
		line = strings.TrimSpace(line)
		if line != "" {
			lines = append(lines, line)
		}
		isFence := strings.HasPrefix(line, "```")
		isCode = isCode != isFence
		words := sentenceWords(line, len(logged) >= minBeside && len(lines) <= minBeside)
		if isQuoted || isCode || isFence || logged[line] || words == 0 {
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

// sentenceWords returns how many words of a line have only letters, or 0 if the line is no sentence. With mayBeHeading,
// a line needs no stop words to be a sentence.
func sentenceWords(line string, mayBeHeading bool) int {
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
	isSentence := mayBeHeading || float64(stop) >= sentenceShare*float64(all)
	if all < minSentence || !isSentence || float64(plain) < plainShare*float64(all) {
		return 0
	}
	return plain
}

func isNoLetter(r rune) bool { return !unicode.IsLetter(r) && !strings.ContainsRune("'’-", r) }
