package markdown

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
)

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
	// refused says behind the code that it is not to be used, whatever the words before it say.
	refused = lazyregexp.New(`(?i)^\W{1,3}(?:don't|do not|never)(?: do (?:it|so|that|this))?[.!]|` +
		`^[^.;:]{0,80}\b(?:don't|do not|never) (?:use|run|pass|add|do) (?:it|this|that|them|so)\b`)
	// beside matches the few words between code and other code, such as the message that it showed.
	beside = lazyregexp.New("^(?:\\s+\\w+){1,4}:?\\s+`")
	// fine says behind the code that it may be used.
	fine = lazyregexp.New(`(?i)^\s+(?:` +
		`(?:alone\s+)?(?:is|are)\s+(?:\w+\s+)?(?:fine|safe|enough|ok|okay|harmless|allowed|sufficient)|` +
		`is\s+what\s+you\s+want|works|will\s+do|fixe[sd]|help(?:s|ed)|solve[sd]|` +
		`(?:does|gives|tells\s+you|shows|prints)\s+the\s+same|changes\s+nothing)\b`)
	// These end before code that the document tells to run: "Test with", "written by", "never before", and "Restore it:".
	testWith = lazyregexp.New(`(?i)(?:^\s*|[.,;:(]\s*|\b(?:and|then|to|please)\s+)` +
		`(?:test|check|verify|confirm|try|reproduce|inspect|see|watch)\b(?:\s+\w+){0,2}$`)
	writtenBy = lazyregexp.New(
		`(?i)\b(?:written|generated|produced|made|created|updated|rebuilt|rendered)\s+(?:\w+\s+)?(?:by|from)$`)
	// doneWith is the end of "Cut the branch with", and of "Branches are cut with". Its group is no verb in "Cuts with".
	doneWith = lazyregexp.New(`(?i)^.*\bare (?:\w+ )?\w+(?:d|en|ne|t) with$|` +
		`(?:^|[.;:,(]|\b(?:and|then))\s*(\w+)(?:\s+\w+){0,3} with$`)
	noVerb      = lazyregexp.New(`(?i)^(?:\w+(?:s|ed|ing)|an?|the|that|any|each|every|no|one|it|we|i|you|they|when|if|while|was)$`)
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
	byWords      = strings.Fields("by from")
	beforeWords  = strings.Fields("before until unless without")
	placeWords   = strings.Fields("inside within in under below beneath")
	behindWords  = strings.Fields("forbidden never not don") // of againstAfter and refused
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
	case wordsIn(after).any(behindWords) && refused().MatchString(after):
		q.Advice = Warned
	case q.Advice != Mentioned:
	case wordsIn(after).any(behindWords) && againstAfter().MatchString(after):
		q.Advice = Warned
	case beside().MatchString(after):
		q.Advice = Failed
	}
	sentence := lastSentence(strings.ReplaceAll(before, ": ", ", ")) + " `" + code + "`" + firstSentence(after)
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

// adviceOnBlock returns the advice of the line that leads to a block. "This hangs:" is against it.
func adviceOnBlock(lead string) Advice {
	if harmful().MatchString(strings.TrimSpace(lead)) {
		return Warned
	}
	return adviceBefore(lead)
}

// adviceBefore returns the advice of the sentence that leads to the code. "Do not use" is against
// it, and "never so, use" is for it.
func adviceBefore(text string) Advice {
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

// tell reports whether a sentence with these words says to run the code behind it.
func (s said) tell(sentence string) bool {
	trimmed := strings.TrimRight(sentence, " :\t")
	const near = 3 // "Test it with"
	last := s[max(0, len(s)-1):]
	if strings.HasSuffix(trimmed, " with") {
		found := doneWith().FindStringSubmatch(trimmed)
		return found != nil && !noVerb().MatchString(found[1])
	}
	return s[max(0, len(s)-near):].any(testWords) && testWith().MatchString(trimmed) ||
		last.any(byWords) && writtenBy().MatchString(trimmed) ||
		last.any(beforeWords) && neverBefore().MatchString(trimmed) ||
		strings.HasSuffix(strings.TrimSpace(sentence), ":") && doIt().MatchString(sentence)
}
