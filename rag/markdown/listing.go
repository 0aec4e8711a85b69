package markdown

import (
	"unicode"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
)

// ListedForm is the pattern of headings, links and tables.
const ListedForm = `(?m)^[ \t]*(?:#+ |\|).*$|!?\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])|https?://\S+`

var listed = lazyregexp.New(ListedForm)

// IsListing reports whether most of a text is headings, links and tables: it names subjects, and
// answers nothing.
func IsListing(text string) bool {
	return 2*Letters(listed().ReplaceAllString(text, "")) < Letters(text)
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
