package markdown

import (
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/rag/advice"
)

// Quote is code that a document quotes, such as a command line.
type Quote struct {
	Text string
	// Place is the folder or file for which the advice is, [Tests] or [OutsideTests], "" for every place.
	Place string
	// Unless is code with which it may be used, each with a tab behind: "never run CODE without --limit or --check". It is ""
	// for none.
	Unless string
	// Odds are the log-odds that the document warns of the code, in steps of a half, from -6 to 6.
	Odds float64
	// Said says that it is no code: words in quotation marks, perhaps a message.
	Said bool
}

// Places that are no folder. Outside is before a folder or file in which the advice does not hold.
const (
	Tests        = "tests"
	OutsideTests = "outside tests"
	Outside      = "outside "
)

const (
	// mostOdds are the log-odds of what is plainly said of a quote, mostLearned bounds others, and steps is in how many
	// they are kept.
	mostOdds, mostLearned, steps = 6, 5.5, 2
	said                         = '"'
	even                         = 'm' // the letter of even odds
)

// IsForbidden reports whether the document plainly forbids the code, and IsFine whether it plainly allows it.
func (q Quote) IsForbidden() bool { return q.Odds == mostOdds }

// IsFine is the opposite of [Quote.IsForbidden].
func (q Quote) IsFine() bool { return q.Odds == -mostOdds }

// String returns the quote as the index keeps it: a letter for its odds, text, and behind tabs the place and the exception.
func (q Quote) String() string {
	kind := rune(even + int(q.Odds*steps))
	if q.Said {
		kind = said
	}
	text := string(kind) + q.Text
	if q.Place != "" || q.Unless != "" {
		text += "\t" + q.Place
	}
	if q.Unless != "" {
		text += "\t" + q.Unless
	}
	return text
}

// ParseQuote reads what [Quote.String] has written.
func ParseQuote(text string) Quote {
	if text == "" {
		return Quote{}
	}
	q := Quote{Said: text[0] == said}
	if !q.Said {
		q.Odds = float64(int(text[0])-even) / steps
	}
	q.Text, q.Place, _ = strings.Cut(text[1:], "\t")
	q.Place, q.Unless, _ = strings.Cut(q.Place, "\t")
	return q
}

const (
	// maxQuotes bounds the quotes of a document, and maxQuote the length of one in bytes.
	maxQuotes = 200
	maxQuote  = 300
	// maxLines bounds the lines of a block that are read.
	maxLines = 2_000
	// maxContext bounds the text around code that is read for advice, in bytes.
	maxContext = 500
)

// Code is code that a document quotes, or words in quotation marks, with the text around it.
type Code struct {
	advice.Context

	// said says that it is words in quotation marks.
	said bool
	// isRight and isWrong say that a heading or a comment calls it so.
	isRight, isWrong bool
}

// segment is a paragraph of a document, or a block of code.
type segment struct {
	text  string   // of a paragraph, "" for a block
	lines []string // of a block
	// isShell says that the lines may be commands, or what these print.
	isShell bool
}

// segments returns the paragraphs, items, rows and headings of a document, and its blocks of code.
func (d *Document) segments() []segment {
	var all []segment
	var block string
	var lines []string // of a paragraph
	end := func() {
		if len(lines) > 0 {
			all, lines = append(all, segment{text: strings.Join(lines, " ")}), nil
		}
	}
	for i, line := range d.outline.lines {
		opened, trimmed, last := block, strings.TrimSpace(line), len(all)-1
		var isText bool
		block, isText = blockBehind(block, line)
		isIndented := isText && len(lines) == 0 && indented().MatchString(line) &&
			(last < 0 || !listItem().MatchString(all[last].text))
		switch {
		case isIndented:
			if last < 0 || all[last].text != "" {
				all, last = append(all, segment{isShell: true}), last+1
			}
			all[last].lines = append(all[last].lines, line)
		case isText && trimmed == "":
			end()
		case isText:
			isField, isHeading := i < d.outline.body, strings.HasPrefix(trimmed, "#")
			if isField || startsPart().MatchString(line) {
				end()
			}
			lines = append(lines, trimmed)
			if isField || isHeading {
				end()
			}
		case opened == "":
			end()
			language := strings.TrimSpace(strings.TrimLeft(strings.TrimLeft(line, " \t>"), "`~"))
			all = append(all, segment{isShell: shellBlock().MatchString(language)})
		case block != "" && len(all[last].lines) < maxLines:
			all[last].lines = append(all[last].lines, line)
		}
	}
	end()
	return all
}

// Code returns the code that the document quotes: spans of code, the lines of blocks that may be commands, or what these
// print, and other lines of code that say something. Words in quotation marks are there too.
func (d *Document) Code() []Code {
	var all []Code
	before, segments := "", d.segments()
	for i, s := range segments {
		after := ""
		if i+1 < len(segments) {
			after = segments[i+1].text[:min(len(segments[i+1].text), maxContext)]
		}
		switch {
		case len(all) >= maxQuotes:
		case s.text == "":
			all = append(all, s.code(before, after)...)
		default:
			all, before = append(all, codeIn(s.text)...), s.text[max(0, len(s.text)-maxContext):]
		}
	}
	all = all[:min(len(all), maxQuotes)]
	isCode := func(c Code) bool { return !c.said }
	for i := range all {
		all[i].First, all[i].Last = !slices.ContainsFunc(all[:i], isCode), !slices.ContainsFunc(all[i+1:], isCode)
	}
	return all
}

// codeIn returns the code in a paragraph.
func codeIn(text string) []Code {
	var all []Code
	for _, said := range InQuotation(text) {
		all = append(all, Code{Context: advice.Context{Code: said}, said: true})
	}
	for _, span := range codeSpan().FindAllStringSubmatchIndex(text, maxQuotes) {
		all = append(all, Code{Context: advice.Context{
			Code:   text[span[2]:span[3]],
			Before: text[max(0, span[0]-maxContext):span[0]], After: text[span[1]:min(len(text), span[1]+maxContext)],
		}})
	}
	return all
}

// code returns the lines of a block between two paragraphs.
func (s segment) code(before, after string) []Code {
	var all []Code
	var above, held string
	isRight, isWrong := rightCode().MatchString(before), wrongCode().MatchString(before)
	for _, line := range s.lines {
		text, behind := splitComment(line, s.isShell)
		if s.isShell {
			text, held = continued(held + strings.TrimPrefix(text, "$ "))
		}
		switch {
		case text == "" && behind != "":
			above = behind
			isWrong = wrongCode().MatchString(behind) || isWrong && !rightCode().MatchString(behind)
			isRight = !isWrong && (isRight || rightCode().MatchString(behind))
			continue
		case text == "", !s.isShell && !isTellingCode(text), len(all) >= maxQuotes:
			continue
		}
		said := before
		if above != "" {
			said += ". " + above + ":"
		}
		c := Code{Context: advice.Context{Code: text, Before: said, After: behind + ". " + after, Block: true}}
		c.isWrong = !s.isShell && (isWrong || wrongCode().MatchString(behind))
		c.isRight = !s.isShell && isRight && !c.isWrong
		all = append(all, c)
	}
	return all
}

// Quotes returns the code that the document quotes, with what it says of it.
func (d *Document) Quotes() []Quote {
	var quotes []Quote
	code := d.Code()
	whole, isOfChanges := advice.NewDocument(d.Title, len(code)), d.isOfChanges()
	for _, c := range code {
		q := c.quote(whole, isOfChanges)
		q.Text = strings.Join(strings.Fields(q.Text), " ")
		if q.Text != "" && len(q.Text) <= maxQuote {
			quotes = append(quotes, q)
		}
	}
	return quotes
}

// isOfChanges reports whether the document is a list of changes: by its title, or by several headings with a version.
func (d *Document) isOfChanges() bool {
	const several = 3
	versions := 0
	for _, line := range d.outline.lines {
		if strings.HasPrefix(line, "#") && ofVersion().MatchString(line) {
			versions++
		}
	}
	return versions >= several || ofChanges().MatchString(d.Title)
}

// inQuotation are words in quotation marks.
var inQuotation = lazyregexp.New("[\"“]([^\"“”`]{8,120})[\"”]")

// InQuotation returns the words in quotation marks of a line.
func InQuotation(line string) (said []string) {
	if !strings.ContainsAny(line, "\"“") {
		return nil
	}
	for _, found := range inQuotation().FindAllStringSubmatch(line, maxQuotes) {
		said = append(said, found[1])
	}
	return said
}

// continued returns a line as a command. If a character at its end joins it to the next, it is held
// without that. A command that is too long for a quote ends there.
func continued(line string) (text, held string) {
	start, goesOn := strings.CutSuffix(line, "\\")
	if !goesOn {
		start, goesOn = strings.CutSuffix(line, " `") // PowerShell
	}
	switch {
	case goesOn && len(start) < maxQuote:
		return "", start + " "
	default:
		return line, ""
	}
}

var (
	// wrongCode begins a heading, a line or a comment above code that is not to be written, and rightCode above code
	// that is.
	wrongCode = lazyregexp.New(`(?i)^[^\p{L}]*(?:❌|(?:wrong|bad|never|incorrect|anti-?pattern|forbidden|avoid|don't|do not)\b)`)
	rightCode = lazyregexp.New(`(?i)^[^\p{L}]*(?:✅|(?:right|good|correct|instead|better|ok|do)\b)`)
	comment   = lazyregexp.New(`(?:^|\s)#\s*(.*)$`)
	comments  = lazyregexp.New(`(?:^|\s)(?://|#|--|/\*|<!--)\s*(.*)$`)
	codeWord  = lazyregexp.New(`\p{L}{4,}`)
)

// splitComment takes the comment at the end of a line of code apart. In a shell only # begins one.
func splitComment(line string, isShell bool) (code, behind string) {
	pattern := comments
	if isShell {
		pattern = comment
	}
	at := pattern().FindStringSubmatchIndex(line)
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
	// startsPart matches the first line of an item or a row, and a heading.
	startsPart = lazyregexp.New(`^\s*(?:[-*+]\s|\d+[.)]\s|\||#{1,6}\s)`)
)

// shellBlock is the language of blocks that may have commands, or what these print.
var shellBlock = lazyregexp.New(`^(?:sh|bash|shell|zsh|console|shell-session|powershell|pwsh|ps1|sql|text|txt|log|output)?$`)
