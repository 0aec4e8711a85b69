package markdown

import (
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
)

// verdict is what a document plainly says of code.
type verdict int

const (
	unsaid verdict = iota
	forbidden
	fine
)

// verdict returns what the sentence of the code plainly says, by its parts before and behind the code: "never run CODE", "CODE
// is not allowed", "CODE is fine", "run CODE instead". All code of a list has the verdict of the list, and all lines of a block
// that of the line above it.
func (c Code) verdict(before, after string) verdict {
	if c.Block {
		return verdictOfBlock(before)
	}
	if !hasAny(before, negations) && !hasAny(before, judging) && !hasAny(after, judging) {
		return unsaid
	}
	isSubject := !objectOf().MatchString(before)
	before, after = listBefore().ReplaceAllString(before, ""), listAfter().ReplaceAllString(after, "")
	isOfUse := !strings.Contains(c.Context.Code, " ") && use().MatchString(after) && !nameOfCode().MatchString(after)
	isAdvised := instead().MatchString(after) && advises().MatchString(before)
	switch {
	case !isOfUse && forbids().MatchString(before) && !supposed().MatchString(before):
		return forbidden
	case isSubject && isForbidden().MatchString(after):
		return forbidden
	case isSubject && isFine().MatchString(after), requires().MatchString(before), allows().MatchString(before), isAdvised:
		return fine
	default:
		return unsaid
	}
}

// A sentence without one of these says nothing plainly. Expressions take longer.
var (
	negations = []string{"ever", "not", "void", "n't", "n’t"}
	judging   = []string{
		"fine", "ok", "OK", "allowed", "permitted", "harmless", "safe", "nstead", "forbidden", "prohibited", "banned",
		"off", " never", " not",
	}
)

func hasAny(text string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

// conditions reads the text behind forbidden code. It returns code that must be there too, "" for none, and code with which it
// is fine, each with a tab behind.
func conditions(after string) (with, exceptions string) {
	if found := condition().FindStringSubmatch(after); found != nil {
		with = found[1]
	}
	var all strings.Builder
	for _, code := range codeSpan().FindAllStringSubmatch(exception().FindString(after), -1) {
		all.WriteString(strings.Join(strings.Fields(code[1]), " ") + "\t")
	}
	return with, all.String()
}

// verdictOfBlock returns what the sentence before a block of code says of it.
func verdictOfBlock(before string) verdict {
	switch {
	case !strings.HasSuffix(before, ":"):
		return unsaid
	case forbidsBlock().MatchString(before) && !demanded().MatchString(before):
		return forbidden
	case instead().MatchString(before):
		return fine
	default:
		return unsaid
	}
}

// clause is what a rule begins with: a sentence, a clause, or who is meant. never is how it forbids, and using what it
// forbids to do with code.
const (
	clause = `(?:^|[.:;,(*_—–-]\s*|\b(?:so|please|therefore|but|and|or|we|you|must|should|may)\s+)`
	never  = `(?:never|do\s+not|don['’]t|must\s+not|mustn['’]t|may\s+not|avoid)`
	using  = `(?:run|use|call|type|execute|write|pass|set|add|give|put|start|do|issue|try|invoke|commit|push|enable|log|send|` +
		`deploy|apply|launch|append|restart|install|change|create|copy|paste)`
	good = `(?:fine|ok|okay|allowed|permitted|harmless|safe)`
)

var (
	// listBefore is a list of code with its words and marks, up to the next code, and listAfter its rest.
	listBefore = lazyregexp.New("(?:`[^`]*`(?:\\s*,)?\\s*(?:(?:or|nor|and)\\s+)?)+$")
	listAfter  = lazyregexp.New("^(?:\\s*,?\\s*(?:(?:or|nor|and)\\s+)?`[^`]*`)+")
	// forbids ends with never and a verb, or with what the code would be used for.
	forbids = lazyregexp.New(`(?i)` + clause + never + `(?:\s+(?:ever|just|simply|blindly|directly))?` +
		`(?:\s+` + using + `(?:\s+(?:a|an|the|plain|bare|any|this|it))*|` +
		`(?:\s+[\p{L}-]+){1,3}\s+(?:with|by|via|through|using))?\s*[:(]?\s*$`)
	forbidsBlock = lazyregexp.New(`(?i)(?:^|[.;:*–—-]\s*|\b(?:please|you|must|should)\s+)` + never + `\s+` + using + `\b`)
	demanded     = lazyregexp.New(`(?i)\b(?:without|before|until|unless)\b`)
	isForbidden  = lazyregexp.New(`(?i)^\s*(?:(?:is|are)\s+(?:strictly\s+)?` +
		`(?:forbidden|prohibited|banned|not\s+allowed|off[\s-]limits)\b|` +
		`(?:must|may|should)\s+(?:never|not)\s+be\s+(?:run|used|called|set|passed|typed|written)\b)`)
	isFine = lazyregexp.New(`(?i)^\s*(?:is|are|stays?|remains?)\s+(?:(?:also|always|still|both|all|perfectly)\s+)?` +
		good + `\b`)
	// requires ends with without behind forbidden code, and exception begins with it.
	requires  = lazyregexp.New("(?i)" + clause + never + "\\b[^`]*`[^`]*`[^`]*\\bwithout(?:\\s+[\\p{L}]+){0,2}\\s+$")
	exception = lazyregexp.New("(?i)^(?:\\s[^`.;:]*)?\\bwithout(?:\\s+[\\p{L}]+){0,2}(?:\\s+(?:or\\s+)?`[^`]+`,?)+")
	condition = lazyregexp.New("(?i)^\\s*with(?:\\s+(?:a|an|the))?\\s+`([^`]+)`")
	// use begins with what code is not to be used for, or with a noun that has the code before it, and nameOfCode with a
	// noun that means the code.
	use        = lazyregexp.New(`^\s*(?:as|for)\s|^\s+[a-z][a-z-]{3,}\b`)
	nameOfCode = lazyregexp.New(`^\s+(?:commands?|flags?|options?|functions?|methods?|calls?|statements?|keywords?|macros?|here|` +
		`there|anywhere|again|directly|alone|when|while|with|without|from|inside|outside|within|unless|because|since|until|before|` +
		`after|` +
		`under|into|against|over|below|above|between|around|next|near|afterwards|other|instead|except|either|even|ever|itself|` +
		`only)\b`)
	// objectOf ends with what makes code an object: "versions of CODE are forbidden".
	objectOf = lazyregexp.New(`(?i)\b(?:for|of|in|on|to|with|from|by|at|under|as)\s*$`)
	// supposed has a case in which somebody does not do something, or need not.
	supposed = lazyregexp.New(`(?i)\b(?:if|when|whenever|unless|since|because|where|while|as)\s+(?:you|we|they|it|i)\s+` +
		never + `|` + never + `\s+(?:need|have)\b|avoid\s+\S+.*\s(?:with|by|via|through|using)\s*$`)
	// ofVersion is the heading of a version. ofChanges is the title of a list of changes, which says what was mended.
	ofVersion = lazyregexp.New(`^#{1,4}\s+\[?v?\d+\.\d+`)
	ofChanges = lazyregexp.New(`(?i)\bchange\s?logs?$|\brelease (?:notes|series|history)\b|` +
		`^(?:changes|history|releases)$|^v?\d+\.\d`)
	allows  = lazyregexp.New(`(?i)\b` + good + `(?:\s+(?:is|are|too))?\s*:?\s*$`)
	advises = lazyregexp.New(`(?i)\b(?:run|use|call|write|set|pass|prefer|take|type|do)\s+$`)
	instead = lazyregexp.New(`(?i)\binstead\b`)
)
