package said

import (
	"strings"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

const (
	// maxQuotesBytes bounds all quotes of a document, and maxQuote one quote, in bytes.
	maxQuotesBytes = 200 << 10
	maxQuote       = 300
	// maxSaid bounds the number of texts in quotation marks that one line gives.
	maxSaid = 200
)

// Quotes returns the distinct texts that a document quotes, in order: spans of code, words in quotation marks, and the
// lines of blocks of code. Among these are names of code, and messages that programs print.
func Quotes(document *markdown.Document) []string {
	var quotes []string
	seen, size := map[string]bool{}, 0
	add := func(text string) {
		text = oneLine(text)
		if text == "" || len(text) > maxQuote || seen[text] || size+len(text) > maxQuotesBytes {
			return
		}
		seen[text] = true
		quotes = append(quotes, text)
		size += len(text)
	}
	var block string
	var paragraph []string // a span may go on in the next line
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

// inQuotation matches words in quotation marks.
var inQuotation = lazyregexp.New("[\"“]([^\"“”`]{8,120})[\"”]")

// InQuotation returns the words in quotation marks of a line.
func InQuotation(line string) []string {
	if !strings.ContainsAny(line, "\"“") {
		return nil
	}
	var quoted []string
	for _, found := range inQuotation().FindAllStringSubmatch(line, maxSaid) {
		quoted = append(quoted, found[1])
	}
	return quoted
}

var (
	// indented matches a line of a block of code without a fence. Such a block follows a blank line.
	indented = lazyregexp.New(`^(?: {4}|\t)\s*\S`)
	// startsPart matches the first line of an item or a row, and a heading.
	startsPart = lazyregexp.New(`^\s*(?:[-*+]\s|\d+[.)]\s|\||#{1,6}\s)`)
)
