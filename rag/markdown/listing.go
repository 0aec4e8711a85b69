package markdown

import (
	"unicode"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
)

// ListedForm is a regular expression for headings, links and rows of tables.
const ListedForm = `(?m)^[ \t]*(?:#+ |\|).*$|` + link

const link = `!?\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])|https?://\S+`

var headingOrLink = lazyregexp.New(`(?m)^[ \t]*#+ .*$|` + link)

// IsListing reports whether most letters of a text are in headings and links. Such a text names subjects, but answers
// no question. Tables do not count, because a table may answer a question.
func IsListing(text string) bool {
	return 2*Letters(headingOrLink().ReplaceAllString(text, "")) < Letters(text)
}

// Letters counts the letters of a text.
func Letters(text string) int {
	count := 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			count++
		}
	}
	return count
}
