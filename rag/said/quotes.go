package said

import (
	"strings"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

const (
	// maxQuotesBytes bounds all quotes of a document together, and maxQuote bounds one quote, in bytes.
	maxQuotesBytes = 200 << 10
	maxQuote       = 300
)

// Quotes returns the distinct texts that a document quotes, in order: code spans, words in quotation marks, and the
// lines of blocks of code. [Names] and [Messages] choose from them.
func Quotes(document *markdown.Document) []string {
	var quotes []string
	seen, size := map[string]bool{}, 0
	add := func(text string) {
		text = markdown.OneLine(text)
		if text == "" || len(text) > maxQuote || seen[text] || size+len(text) > maxQuotesBytes {
			return
		}
		seen[text] = true
		quotes = append(quotes, text)
		size += len(text)
	}
	var block string
	var paragraph []string // the lines so far, because a span may continue on the next line
	end := func() {
		text := strings.Join(paragraph, " ")
		for _, words := range InQuotation(text) {
			add(words)
		}
		for _, span := range codeSpan().FindAllStringSubmatch(text, -1) {
			add(span[1])
		}
		paragraph = nil
	}
	for i, line := range document.Lines() {
		opened := block
		var isText bool
		block, isText = markdown.BlockBehind(block, line)
		isField := i < document.FrontMatterLines
		switch {
		case !isText && (opened == "" || block == ""): // a fence
			end()
		case !isText:
			add(line)
		case strings.TrimSpace(line) == "":
			end()
		case isField, startsPart().MatchString(line):
			end()
			paragraph = append(paragraph, line)
		case indented().MatchString(line) && len(paragraph) == 0:
			add(line)
		default:
			paragraph = append(paragraph, strings.TrimSpace(line))
		}
	}
	end()
	return quotes
}

var inQuotation = lazyregexp.New("[\"“]([^\"“”`]{8,120})[\"”]")

// InQuotation returns each text of 8 to 120 characters between quotation marks.
func InQuotation(line string) []string {
	if !strings.ContainsAny(line, "\"“") {
		return nil
	}
	var quoted []string
	for _, found := range inQuotation().FindAllStringSubmatch(line, -1) {
		quoted = append(quoted, found[1])
	}
	return quoted
}

var (
	// indented matches a line of a block of code without fences. Such a block follows a blank line.
	indented = lazyregexp.New(`^(?: {4}|\t)\s*\S`)
	// startsPart matches a heading, a row of a table, and the first line of an item of a list.
	startsPart = lazyregexp.New(`^\s*(?:[-*+]\s|\d+[.)]\s|\||#{1,6}\s)`)
)
