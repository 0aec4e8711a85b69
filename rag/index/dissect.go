package index

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// Dissection describes what the index makes of a file.
type Dissection struct {
	Title, Summary, DocType, Date string
	Level                         catalog.Level
	Passages                      []DissectedPassage
	Links                         []Link
	// Places are those of the repository that it cites.
	Places []CitedPlace
	// FrontMatter and FrontMatterLines are as in [markdown.Document].
	FrontMatter      map[string]any
	FrontMatterLines int
}

// Link is a document's link to a file, by paths in the repository.
type Link struct {
	Target string
	// Fallback is the target if there is no document at Target; "" for none.
	Fallback string
	// Supersedes reports whether the document replaces the target.
	Supersedes bool
}

// DissectedPassage is a passage as it is searched and embedded.
type DissectedPassage struct {
	markdown.Passage

	// Heading comes before the text.
	Heading string
	// Terms are the distinct ones of heading and text.
	Terms []string
	// FrontMatter says that the text is made from the fields of the front matter.
	FrontMatter bool
	// Question says that the text is a question that the document answers. No search returns it: it
	// counts beside the passages of the document's text.
	Question bool

	language terms.Language
	hash     uuid.UUID
}

// Dissect returns what the index makes of a file of the collection. It is a pure
// function: nothing is written. The error is that of indexing the file.
func Dissect(file document.File, collection catalog.Collection, schema Schema) (Dissection, error) {
	doc, err := prepare(file, collection, schema)
	if err != nil {
		return Dissection{}, err
	}
	dissection := doc.Dissection
	for i, p := range dissection.Passages {
		dissection.Passages[i].Terms = terms.Distinct(p.language, p.Heading+"\n\n"+p.Text)
	}
	return dissection, nil
}

// maxGist is about what an embedding model reads, in characters.
const maxGist = 2_000

// Gist returns the text that stands for a document in comparisons, in one line: its title, its
// summary and the beginning of its text. The rest of the front matter is left out, because all
// documents of one type have it in common. The error is a [*markdown.Error].
func Gist(content []byte) (string, error) {
	parsed, err := markdown.ParseAny(content)
	if err != nil {
		return "", err
	}
	body := slices.Collect(strings.Lines(string(content)))[parsed.FrontMatterLines:]
	words := strings.Fields(parsed.Title + "\n" + parsed.Summary + "\n" + strings.Join(body, ""))
	return markdown.CutRunes(strings.Join(words, " "), maxGist), nil
}
