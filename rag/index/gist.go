package index

import (
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/rag/markdown"
)

// maxGist is about what an embedding model reads, in characters.
const maxGist = 2_000

// Gist returns the text by which a document is compared with others: its title, its
// summary and the beginning of its text, in one line. The rest of the front matter, which
// documents of one type have in common, makes none of them alike. The error is a
// [*markdown.Error].
func Gist(content []byte) (string, error) {
	parsed, err := markdown.ParseAny(content)
	if err != nil {
		return "", err
	}
	body := slices.Collect(strings.Lines(string(content)))[parsed.FrontMatterLines:]
	words := strings.Fields(parsed.Title + "\n" + parsed.Summary + "\n" + strings.Join(body, ""))
	return markdown.CutRunes(strings.Join(words, " "), maxGist), nil
}
