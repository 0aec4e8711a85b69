package markdown

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

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
	Failed    Advice = '?' // it showed the failure that the document explains
	Advised   Advice = '+' // to be done, perhaps instead
	Demanded  Advice = '*' // to be done always
)

// InFavour reports whether the code is to be used.
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
	// held is the part of a command that goes on in the next line.
	block, commands, wrong, lead, before, held := "", false, false, "", "", ""
	for _, line := range d.outline.lines {
		opened := block
		var isText bool
		block, isText = blockBehind(block, line)
		switch {
		case isText:
			for _, span := range codeSpan().FindAllStringSubmatchIndex(line, maxQuotes) {
				said := lastBytes(before + " " + line[max(0, span[0]-maxContext):span[0]])
				add(quoteIn(said, line[span[2]:span[3]], line[span[1]:min(len(line), span[1]+maxContext)]))
			}
			before = lastBytes(strings.TrimSpace(line))
			lead = cmp.Or(before, lead)
		case block == "":
			lead, before = "", ""
		case opened == "":
			language := strings.TrimLeft(strings.TrimLeft(line, " \t>"), "`~")
			commands = shellBlock().MatchString(strings.TrimSpace(language))
			wrong = wrongCode().MatchString(lead) || adviceBefore(lead) == Warned
		case commands:
			text := held + strings.TrimPrefix(strings.TrimSpace(line), "$ ")
			start, goesOn := continued(text)
			held = ""
			switch {
			case goesOn:
				held = start
			case !strings.HasPrefix(text, "#"):
				add(Quote{Text: text, Advice: adviceBefore(lead)})
			}
		default:
			code, comment := splitComment(line)
			if code == "" && comment != "" {
				wrong = wrongCode().MatchString(comment) || wrong && !rightCode().MatchString(comment)
			}
			if (wrong || wrongCode().MatchString(comment)) && isTellingCode(code) {
				add(Quote{Text: code, Advice: Warned})
			}
		}
	}
	return quotes
}

// continued returns a line without the character at its end that joins it to the next, and false if there is none.
// A command that is too long for a quote ends there.
func continued(line string) (start string, goesOn bool) {
	start, goesOn = strings.CutSuffix(line, "\\")
	if !goesOn {
		start, goesOn = strings.CutSuffix(line, " `") // PowerShell
	}
	return start + " ", goesOn && len(start) < maxQuote
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

// shellBlock is the language of blocks that may have commands, or what these print.
var shellBlock = lazyregexp.New(`^(?:sh|bash|shell|zsh|console|shell-session|powershell|pwsh|ps1|sql|text|txt|log|output)?$`)

var (
	against = lazyregexp.New(`(?i)\b(?:never|not|no|avoid|cannot|don't|doesn't|mustn't|forbidden|instead of|rather than)\b`)
	// harmful says before a block what the code in it does.
	harmful = lazyregexp.New(`(?i)\b(?:this|that|it|which)\s(?:\w+\s)?(?:hangs|breaks|broke|fails|locks|blocks|crashes|` +
		`crashed|deletes|deleted|drops|dropped|loses|lost|wipes|wiped|destroys|destroyed|corrupts|corrupted|kills|stops|` +
		`leaves|takes\s[^:]*\bdown)\b[^:]*:$`)
	always = lazyregexp.New(`(?i)\b(?:always|every time)\b`)
	// reported tells what was done, and does not advise it.
	reported = lazyregexp.New(`(?i)\b(?:was|were|been|is|are|being|had|has)\s+(?:\w+\s+)?run\b`)
	inFavour = lazyregexp.New(`(?i)\b(?:use|run|call|prefer|instead|add)\b`)
	// againstAfter says behind the code that it is not to be used.
	againstAfter = lazyregexp.New(`(?i)^[^.;:]{0,60}\b(?:forbidden|never|must not|may not|is not allowed|not be)\b`)
	// showed says behind the code that it printed the failure, and fine that it may be used.
	showed = lazyregexp.New(`(?i)^\s+(?:\w+\s+)?(?:(?:fail(?:s|ed)?|end(?:s|ed)?|stop(?:s|ped)?|exit(?:s|ed)?|` +
		`abort(?:s|ed)?|dies|died)\s+(?:\w+\s+)?with|` +
		`prints?|printed|says?|said|reports?|reported|shows?|showed|complains?|complained)\b`)
	fine = lazyregexp.New(`(?i)^\s+(?:` +
		`(?:alone\s+)?(?:is|are)\s+(?:\w+\s+)?(?:fine|safe|enough|ok|okay|harmless|allowed|sufficient)|` +
		`is\s+what\s+you\s+want|works|will\s+do|(?:does|gives|tells\s+you|shows|prints)\s+the\s+same|changes\s+nothing)\b`)
	// These end before code that the document tells to run: "Test with", "written by", "never before", and "Restore it:".
	testWith = lazyregexp.New(`(?i)(?:^\s*|[.,;:(]\s*|\b(?:and|then|to|please)\s+)` +
		`(?:test|check|verify|confirm|try|reproduce|inspect|see|watch)\b(?:\s+\w+){0,2}$`)
	writtenBy = lazyregexp.New(
		`(?i)\b(?:written|generated|produced|made|created|updated|rebuilt|rendered)\s+(?:\w+\s+)?(?:by|with|from)$`)
	neverBefore = lazyregexp.New(`(?i)\b(?:never|not|don't)\b.*\b(?:before|until|unless|without)$`)
	doIt        = lazyregexp.New(`(?i)^\s*[A-Z]\w+\s+(?:it|them)\b[^:]{0,30}:\s*$`)
	// place is a folder or file that a sentence is about.
	place = lazyregexp.New("(?i)(?:(\\w+)\\s+)?\\b(?:inside|within|in|under|below|beneath)(?:\\s+of)?(?:\\s+the)?\\s+" +
		"`([\\w@.*-]*/[\\w@./*-]*|[\\w-]+\\.[a-z]\\w{0,5})`")
	exempt = lazyregexp.New(`(?i)^(?:except|only|but|not|allowed|fine|ok|outside)$`)
)

// A text that matches one of these patterns has one of its words. Most texts have none, and it takes a tenth of the
// time to see that.
var (
	againstWords = strings.Fields("never not no avoid cannot don doesn mustn forbidden instead rather")
	favourWords  = strings.Fields("use run call prefer instead add")
	testWords    = strings.Fields("test check verify confirm try reproduce inspect see watch")
	byWords      = strings.Fields("by with from")
	beforeWords  = strings.Fields("before until unless without")
	placeWords   = strings.Fields("inside within in under below beneath")
	behindWords  = strings.Fields("forbidden never not") // of againstAfter
)

// said are the words of a text in lower case.
type said []string

func wordsIn(text string) said {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

func (s said) any(of []string) bool {
	return slices.ContainsFunc(s, func(word string) bool { return slices.Contains(of, word) })
}

// mostBetween is how many words may stand between "never" and the code.
const mostBetween = 3

// quoteIn returns the code between two texts of a paragraph with what they say of it.
func quoteIn(before, code, after string) Quote {
	q := Quote{Text: code, Advice: adviceBefore(before)}
	switch {
	case fine().MatchString(after):
		q.Advice = Advised
	case q.Advice != Mentioned:
	case wordsIn(after).any(behindWords) && againstAfter().MatchString(after):
		q.Advice = Warned
	case showed().MatchString(after):
		q.Advice = Failed
	}
	sentence := lastSentence(before) + " … " + firstSentence(after)
	if !strings.Contains(sentence, " `") || !wordsIn(sentence).any(placeWords) {
		return q
	}
	for _, found := range place().FindAllStringSubmatch(sentence, -1) {
		if !exempt().MatchString(found[1]) {
			q.Place = found[2]
		}
	}
	return q
}

// endsSentence reports whether the byte at an index ends a sentence.
func endsSentence(text string, at int) bool {
	switch text[at] {
	case '.', ';', ':', '!', '?':
		return at+1 == len(text) || text[at+1] <= ' '
	}
	return false
}

// lastSentence returns the sentence at the end of a text, or the text of a heading.
func lastSentence(text string) string {
	trimmed := strings.TrimRight(text, " :\t")
	for at := len(trimmed) - 1; at >= 0; at-- {
		if endsSentence(trimmed, at) {
			return text[min(at+2, len(trimmed)):]
		}
	}
	if heading, ok := strings.CutPrefix(strings.TrimLeft(text, "#"), " "); ok && strings.HasPrefix(text, "#") {
		return heading
	}
	return text
}

// firstSentence returns the sentence at the beginning of a text.
func firstSentence(text string) string {
	for at := range len(text) {
		if endsSentence(text, at) {
			return text[:at]
		}
	}
	return text
}

// adviceBefore returns the advice of the sentence that leads to the code. "Do not use" is against
// it, and "never so, use" is for it. "This hangs:" is against it too.
func adviceBefore(text string) Advice {
	if whole := strings.TrimSpace(text); strings.HasSuffix(whole, ":") && harmful().MatchString(whole) {
		return Warned
	}
	text = lastSentence(text)
	words := wordsIn(text)
	if slices.Contains(words, "run") {
		text = reported().ReplaceAllString(text, "")
	}
	lastOf := func(pattern *regexp.Regexp, words said, needed []string) (start, end int) {
		if !words.any(needed) {
			return -1, -1
		}
		found := pattern.FindAllStringIndex(text, -1)
		if len(found) == 0 {
			return -1, -1
		}
		return found[len(found)-1][0], found[len(found)-1][1]
	}
	_, no := lastOf(against(), words, againstWords)
	yes, _ := lastOf(inFavour(), words, favourWords)
	switch {
	case words.tell(text):
		return Advised
	case no < 0 && yes < 0:
		return Mentioned
	case no > yes && len(strings.Fields(codeSpan().ReplaceAllString(text[no:], ""))) > mostBetween:
		return Mentioned // another thing is not to be done
	case no > yes, no >= 0 && !strings.ContainsAny(text[no:max(no, yes)], ",`"):
		return Warned
	case always().MatchString(text):
		return Demanded
	default:
		return Advised
	}
}

// tell reports whether a sentence with these words ends before code that is to be run.
func (s said) tell(sentence string) bool {
	trimmed := strings.TrimRight(sentence, " :\t")
	const near = 3 // "Test it with"
	last := s[max(0, len(s)-1):]
	return s[max(0, len(s)-near):].any(testWords) && testWith().MatchString(trimmed) ||
		last.any(byWords) && writtenBy().MatchString(trimmed) ||
		last.any(beforeWords) && neverBefore().MatchString(trimmed) ||
		strings.HasSuffix(strings.TrimSpace(sentence), ":") && doIt().MatchString(sentence)
}
