package markdown

import (
	"math"
	"strings"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/rag/advice"
)

var (
	// place is a folder or file that a sentence is about.
	place = lazyregexp.New("(?i)(?:(\\w+)\\s+)?\\b(?:inside|within|in|under|below|beneath)(?:\\s+of)?(?:\\s+the)?\\s+" +
		"`([\\w@.*-]*/[\\w@./*-]*|[\\w-]+\\.[a-z]\\w{0,5})`")
	// outside is the only folder or file about which a sentence is not.
	outside = lazyregexp.New("(?i)\\b(?:outside(?:\\s+of)?|except\\s+(?:in|inside|within|under|below))(?:\\s+the)?\\s+" +
		"`([\\w@.*-]*/[\\w@./*-]*|[\\w-]+\\.[a-z]\\w{0,5})`")
	inTests = lazyregexp.New(`(?i)(?:\b(\w+)\s+)?\b(?:in|inside|within)\s+` +
		`(?:(?:our|the|all|any|an?|unit|integration|e2e|end-to-end)\s+)*` +
		`(?:tests?|specs?|test\s+code)\b|\b(outside)\s+(?:of\s+)?(?:the\s+)?tests?\b`)
	// placeBefore matches what may be a place, in a fifth of the time.
	placeBefore = lazyregexp.New("(?:in|side|hin|der|low|eath|of|the)\\s+`")
	exempt      = lazyregexp.New(`(?i)^(?:except|only|but|not|allowed|fine|ok|outside)$`)
)

// quote returns the code with what the document says of it. A list of changes warns of nothing.
func (c Code) quote(of advice.Document, isOfChanges bool) Quote {
	q := Quote{Text: c.Code, Said: c.said}
	if c.said {
		return q
	}
	q.Odds = math.Round(max(-mostLearned, min(of.LogOdds(c.Context), mostLearned))*steps) / steps
	before, after := lastSentence(strings.ReplaceAll(c.Before, ": ", ", ")), firstSentence(c.After)
	said := unsaid
	if isOfChanges {
		q.Odds = min(q.Odds, -1.0/steps)
	} else {
		said = c.verdict(before, after)
	}
	switch {
	case c.isWrong, said == forbidden:
		q.Odds = mostOdds
	case c.isRight, said == fine:
		q.Odds = -mostOdds
	}
	if c.Block {
		return q
	}
	if said == forbidden {
		var with string
		with, q.Unless = conditions(c.After)
		if with != "" {
			q.Text += " … " + with
		}
	}
	sentence := before + " `" + c.Code + "`" + after
	if strings.Contains(sentence, "utside") || strings.Contains(sentence, "xcept") {
		if found := outside().FindStringSubmatch(sentence); found != nil {
			q.Place = Outside + found[1]
			return q
		}
	}
	if placeBefore().MatchString(sentence) {
		for _, found := range place().FindAllStringSubmatch(sentence, -1) {
			if !exempt().MatchString(found[1]) {
				q.Place = found[2]
			}
		}
	}
	if q.Place == "" && (strings.Contains(sentence, "est") || strings.Contains(sentence, "spec")) {
		q.Place = testsIn(sentence)
	}
	return q
}

// testsIn returns the place of a sentence that is about tests, or about all but tests, "" for another.
func testsIn(sentence string) string {
	found := inTests().FindStringSubmatch(sentence)
	switch {
	case found == nil:
		return ""
	case found[2] != "", exempt().MatchString(found[1]):
		return OutsideTests
	default:
		return Tests
	}
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
