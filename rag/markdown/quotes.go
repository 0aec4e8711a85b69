package markdown

import (
	"cmp"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
)

// Quote is code that a document quotes, such as a command line.
type Quote struct {
	Text   string
	Advice Advice
	// Place is the folder or file for which the advice is, "" for every place.
	Place string
}

// Advice is what a document says of the code that it quotes.
type Advice byte

// The kinds of advice.
const (
	Mentioned Advice = ' '
	Warned    Advice = '!' // not to be done
	Failed    Advice = '?' // other code stands right behind it, perhaps a message
	Advised   Advice = '+' // to be done, perhaps instead
	Demanded  Advice = '*' // to be done always
)

// InFavour reports whether the advice is to use the code.
func (a Advice) InFavour() bool { return a == Advised || a == Demanded }

// String returns the quote as the index keeps it: advice, text, and behind a tab the place.
func (q Quote) String() string {
	text := string(rune(q.Advice)) + q.Text
	if q.Place != "" {
		text += "\t" + q.Place
	}
	return text
}

// ParseQuote reads what [Quote.String] has written.
func ParseQuote(text string) Quote {
	if text == "" {
		return Quote{Advice: Mentioned}
	}
	advice := Advice(text[0])
	text, place, _ := strings.Cut(text[1:], "\t")
	return Quote{Text: text, Advice: advice, Place: place}
}

const (
	// maxQuotes bounds the quotes of a document, and maxQuote the length of one in bytes.
	maxQuotes = 200
	maxQuote  = 300
	// maxContext bounds the text around code that is read for advice, in bytes.
	maxContext = 500
)

func lastBytes(text string) string { return text[max(0, len(text)-maxContext):] }

// Quotes returns the code that the document quotes: spans of code, the lines of blocks that may be commands, or what
// these print, and the lines of other blocks that the document warns of.
func (d *Document) Quotes() []Quote {
	var quotes []Quote
	add := func(q Quote) {
		q.Text = strings.Join(strings.Fields(q.Text), " ")
		if q.Text != "" && len(q.Text) <= maxQuote && len(quotes) < maxQuotes {
			quotes = append(quotes, q)
		}
	}
	// lead is the last line of prose, and before the same line unless a blank one follows.
	// advice is that of lead, 0 until a block needs it. held is the part of a command that goes on in the next line.
	block, commands, wrong, lead, before, advice, held := "", false, false, "", "", Advice(0), ""
	for _, line := range d.outline.lines {
		opened := block
		var isText bool
		block, isText = blockBehind(block, line)
		isIndented := isText && before == "" && indented().MatchString(line) && !listItem().MatchString(lead)
		switch {
		case isText && !isIndented:
			eachQuote(before, line, add)
			before = lastBytes(strings.TrimSpace(line))
			lead, advice = cmp.Or(before, lead), 0
		case block == "" && !isIndented:
			lead, before, advice = "", "", 0
		case opened == "" && !isIndented:
			language := strings.TrimLeft(strings.TrimLeft(line, " \t>"), "`~")
			commands = shellBlock().MatchString(strings.TrimSpace(language))
			advice = adviceOnBlock(lead)
			wrong = wrongCode().MatchString(lead) || advice == Warned
		case commands || isIndented:
			var text string
			text, held = continued(held + strings.TrimPrefix(strings.TrimSpace(line), "$ "))
			if advice == 0 {
				advice = adviceOnBlock(lead)
			}
			add(Quote{Text: text, Advice: advice})
		default:
			var text string
			text, wrong = warnedIn(line, wrong)
			add(Quote{Text: text, Advice: Warned})
		}
	}
	return quotes
}

// warnedIn returns the code in a line of a block if it is wrong, else "", and whether the next lines are.
func warnedIn(line string, wrong bool) (code string, nextWrong bool) {
	code, comment := splitComment(line)
	if code == "" && comment != "" {
		wrong = wrongCode().MatchString(comment) || wrong && !rightCode().MatchString(comment)
	}
	if (wrong || wrongCode().MatchString(comment)) && isTellingCode(code) {
		return code, wrong
	}
	return "", wrong
}

// eachQuote adds the code in a line of text behind another text.
func eachQuote(before, line string, add func(Quote)) {
	for _, span := range codeSpan().FindAllStringSubmatchIndex(line, maxQuotes) {
		said := lastBytes(before + " " + line[max(0, span[0]-maxContext):span[0]])
		add(quoteIn(said, line[span[2]:span[3]], line[span[1]:min(len(line), span[1]+maxContext)]))
	}
}

// continued returns a line as a command, "" for a comment. If a character at its end joins it to the next, it is held
// without that. A command that is too long for a quote ends there.
func continued(line string) (text, held string) {
	start, goesOn := strings.CutSuffix(line, "\\")
	if !goesOn {
		start, goesOn = strings.CutSuffix(line, " `") // PowerShell
	}
	switch {
	case goesOn && len(start) < maxQuote:
		return "", start + " "
	case strings.HasPrefix(line, "#"):
		return "", ""
	default:
		return line, ""
	}
}

var (
	// wrongCode begins a heading, a line or a comment above code that is not to be written, and rightCode above code
	// that is.
	wrongCode = lazyregexp.New(`(?i)^[^\p{L}]*(?:❌|(?:wrong|bad|never|incorrect|anti-?pattern|forbidden|avoid|don't|do not)\b)`)
	rightCode = lazyregexp.New(`(?i)^[^\p{L}]*(?:✅|(?:right|good|correct|instead|better|ok|do)\b)`)
	comments  = lazyregexp.New(`(?:^|\s)(?://|#|--|/\*|<!--)\s*(.*)$`)
	codeWord  = lazyregexp.New(`\p{L}{4,}`)
)

// splitComment takes the comment at the end of a line of code apart.
func splitComment(line string) (code, comment string) {
	at := comments().FindStringSubmatchIndex(line)
	if at == nil {
		return strings.TrimSpace(line), ""
	}
	return strings.TrimSpace(line[:at[0]]), line[at[2]:at[3]]
}

// everywhere are words of code in any file.
var everywhere = strings.Fields("return error throw catch else const func function null none self this true false async " +
	"await string class public private static void import from type print with")

// isTellingCode reports whether a line of code has three words that are not everywhere.
func isTellingCode(line string) bool {
	const telling = 3
	words := map[string]bool{}
	for _, word := range codeWord().FindAllString(strings.ToLower(line), -1) {
		if !slices.Contains(everywhere, word) {
			words[word] = true
		}
	}
	return len(words) >= telling
}

// indented is a line of a block of code without a fence, which stands behind a blank line and in no list.
var (
	indented = lazyregexp.New(`^(?: {4}|\t)\s*\S`)
	listItem = lazyregexp.New(`^(?:[-*+]|\d+[.)])\s`)
)

// shellBlock is the language of blocks that may have commands, or what these print.
var shellBlock = lazyregexp.New(`^(?:sh|bash|shell|zsh|console|shell-session|powershell|pwsh|ps1|sql|text|txt|log|output)?$`)
