package index

import (
	"cmp"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/said"
	"github.com/compound-docs/compound-docs/rag/terms"
)

const (
	// maxLinks bounds the links kept of one document.
	maxLinks = 1000
	// maxTitle bounds a title, in characters: a heading may be a file of one line.
	maxTitle = 1000
)

// Dissection describes what the index makes of a file.
type Dissection struct {
	Title, Summary, DocType, Date string
	// FileTitle is the title if other documents have the same: the name of the file, or a title in the front matter.
	FileTitle string
	Level     catalog.Level
	Passages  []DissectedPassage
	Links     []Link
	Status    said.Status
	// Number is that of a decision below its folder, such as docs/adr/#12, "" without one.
	Number string
	// Places are those of the repository that it cites.
	Places []CitedPlace
	// Names are the names of code that it has, and Messages are what it quotes that a program may have printed.
	Names, Messages []string
	// Triggers say when it wants to be heard, and TriggerFaults what is wrong with others.
	Triggers      []said.Trigger
	TriggerFaults []said.Fault
	// FrontMatter, FrontMatterLines, NotFrontMatter, Anchors and Headlines are as in [markdown.Document].
	FrontMatter      map[string]any
	FrontMatterLines int
	NotFrontMatter   error
	Anchors          []string
	Headlines        []markdown.Headline
	// Notes are faults of its form that did not keep it from being read. Line 0 is that of the field date.
	Notes []markdown.Error

	path       string
	stamp      document.Stamp
	parsed     *markdown.Document
	schemaHash string
	undated    bool // the front matter may have no date, and has none
}

// Link is a document's link to a file, by paths in the repository.
type Link struct {
	Target string
	// Fallback is the target if there is no document at Target; "" for none.
	Fallback string
	// Written is the path of a page without .md, as the document has it, "" for another link.
	Written string
	// Relation is how the document stands to the target, "" for a link.
	Relation said.Relation
}

// Paths returns the documents where the link may lead: it leads to the first that is there. A page without .md may be MDX.
func (l Link) Paths() []string {
	paths := slices.DeleteFunc([]string{l.Target, l.Fallback}, func(page string) bool { return page == "" })
	if l.Written != "" {
		for _, page := range paths {
			paths = append(paths, page+"x")
		}
	}
	return paths
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
	doc, err := dissect(file, collection, schema)
	if err != nil {
		return Dissection{}, err
	}
	doc.parsed = nil // it holds the whole text
	for i, p := range doc.Passages {
		doc.Passages[i].Terms = terms.Distinct(p.language, p.Heading+"\n\n"+p.Text)
	}
	return doc, nil
}

// dissect parses and validates a file and cuts it into passages. They have no Terms. The error says
// why the file cannot be a document.
func dissect(file document.File, collection catalog.Collection, schema Schema) (Dissection, error) {
	parsed, err := parseDocument(file, schema)
	if err != nil {
		return Dissection{}, err
	}
	err = checkTemplate(parsed.Title)
	if err != nil {
		return Dissection{}, err
	}
	folder, docType, err := classify(file.Path, parsed.FrontMatter, schema)
	if err != nil {
		return Dissection{}, err
	}
	fields := parsed.FrontMatter // that say what the doc-type knows
	if schema == nil {
		fields = nil
	}
	date, _ := fields["date"].(string)
	if folder.Lenient() {
		date = cmp.Or(parsed.Date, dayOfName(file.Path))
	}
	status := said.StatusOf(parsed, file.Path)
	doc := Dissection{
		Title: markdown.CutRunes(titleOf(parsed, file.Path), maxTitle), FileTitle: titleOfName(file.Path),
		Summary: parsed.Summary, DocType: docType.Name, Date: date, Level: levelOf(fields),
		Links: dedupe(slices.Concat(
			resolveLinks(file.Path, folder, parsed.Links),
			resolveRelated(file.Path, docType.Docs, stringList(fields["related_docs"]), ""),
			resolveRelations(file.Path, folder, docType.Docs, slices.Concat(status.Relations, said.MentionsIn(parsed))),
		)),
		Status: status, Number: numberOf(file.Path, parsed.Title), Notes: parsed.Notes,
		FrontMatter: parsed.FrontMatter, FrontMatterLines: parsed.FrontMatterLines, NotFrontMatter: parsed.NotFrontMatter,
		Anchors: parsed.Anchors, Headlines: parsed.Headlines(),
		path: file.Path, stamp: file.Stamp(), parsed: parsed,
		schemaHash: catalog.SchemaStamp(docType.SchemaHash), undated: folder.Lenient() && date == "",
	}
	if parsed.FrontMatter["title"] != nil {
		doc.FileTitle = doc.Title
	}
	quotes := said.Quotes(parsed)
	doc.Names = said.Names(slices.Concat(quotes, namesOf(parsed.Title), namesOf(withoutTriggers(parsed.FrontMatter))))
	doc.Messages = said.Messages(quotes)
	doc.Triggers, doc.TriggerFaults = said.Triggers(parsed.FrontMatter)
	if scope, isGiven := said.Scope(file.Path, parsed.FrontMatter, FilesField); isGiven {
		doc.Triggers = append(doc.Triggers, scope)
	}
	language := cmp.Or(terms.Language(folder.Language), terms.Detect(string(file.Content)))
	doc.Passages = passagesOf(parsed, doc.Title, language, collection)
	if collection == catalog.Compounding {
		doc.Places = citedPlaces(file.Path, folder.LinkRoot, parsed)
	}
	if collection == catalog.Handbook {
		doc.DocType = handbookSection(file.Path, parsed.FrontMatter)
	}
	return doc, nil
}

// withoutTriggers returns front matter without its triggers: they are no text of the document.
func withoutTriggers(frontMatter map[string]any) map[string]any {
	if _, isGiven := frontMatter[said.TriggersField]; !isGiven {
		return frontMatter
	}
	frontMatter = maps.Clone(frontMatter)
	delete(frontMatter, said.TriggersField)
	return frontMatter
}

// passagesOf returns the passages of a document: those of its front matter, of its text, and its questions. A
// page of the handbook has only those of its text.
func passagesOf(
	parsed *markdown.Document, title string, language terms.Language, collection catalog.Collection,
) []DissectedPassage {
	var all []DissectedPassage
	add := func(p markdown.Passage, frontMatter, question bool) {
		heading := markdown.Heading(title, p.HeaderPath)
		all = append(all, DissectedPassage{
			Passage: p, Heading: heading, FrontMatter: frontMatter, Question: question, language: language,
			hash: catalog.PassageHash(heading, p.Text, strings.TrimPrefix(string(language), string(terms.English))),
		})
	}
	if collection != catalog.Handbook {
		for _, p := range frontMatterPassages(parsed, title) {
			add(p, true, false)
		}
	}
	for _, p := range parsed.Passages(title, markdown.DefaultLimit()) {
		add(p, false, false)
	}
	if len(all) == 0 {
		// A title alone, or the summary of a handbook page.
		whole := markdown.Passage{StartLine: 1, EndLine: max(parsed.LineCount, 1), Text: parsed.Summary}
		for _, p := range halved(whole, roomBeside(title)) {
			add(p, true, false)
		}
	}
	if collection != catalog.Handbook {
		for _, text := range questions(parsed.FrontMatter) {
			add(markdown.Passage{StartLine: 1, EndLine: parsed.FrontMatterLines, Text: text}, true, true)
		}
	}
	return all
}

// baseName is the name of a file without its extension.
func baseName(file string) string { return strings.TrimSuffix(path.Base(file), path.Ext(file)) }

var (
	indexName   = regexp.MustCompile(`(?i)^(?:readme|index)\.\w+$`)
	sectionName = regexp.MustCompile(`(?i)^(?:[\d.]+ )?(?:summary|abstract|overview|context|introduction|background|motivation|` +
		`status|description|purpose|goals?|problem(?: statement)?)$`)
	notionID    = regexp.MustCompile(` [0-9a-f]{32}$`)
	dendronName = regexp.MustCompile(`^[a-z][a-z-]*(?:\.[a-z][a-z0-9-]*){2,}$`)
)

// titleOf returns the title of a document: its own, or the name of its file if it has none, or if its first heading is that
// of a section, as in RFCs that begin with "# Summary".
func titleOf(parsed *markdown.Document, file string) string {
	if parsed.FrontMatter["title"] == nil && sectionName.MatchString(parsed.Title) {
		return titleOfName(file)
	}
	return cmp.Or(parsed.Title, titleOfName(file))
}

// titleOfName returns the name of a file, or of its folder for README.md and index.md, without the number that Notion adds
// and the dots that Dendron puts between folders.
func titleOfName(file string) string {
	if folder := path.Base(path.Dir(file)); indexName.MatchString(path.Base(file)) && folder != "." {
		return folder
	}
	name := notionID.ReplaceAllString(baseName(file), "")
	if dendronName.MatchString(name) {
		name = strings.ReplaceAll(name, ".", " ")
	}
	return name
}

// dayInName is a day with which the name of a file begins or ends, such as 2024-05-01-outage.md, 2024_05_01.md and
// outage-20240501.md. A time may follow it.
var dayInName = regexp.MustCompile(`^(\d{4})[-_.]?(\d\d)[-_.]?(\d\d)(?:T?\d{4}|T?\d{6})?(?:[-_ .]|$)|` +
	`[-_ .](\d{4})[-_.]?(\d\d)[-_.]?(\d\d)$`)

// dayOfName returns the day in the name of a file, "" for none.
func dayOfName(file string) string {
	found := dayInName.FindStringSubmatch(baseName(file))
	if found == nil {
		return ""
	}
	day, _ := markdown.Day(strings.Trim(strings.Join(found[1:], "-"), "-"))
	return day
}

// handbookSection is the front matter's section, else the first folder below
// the ingested one, else the name of the file.
func handbookSection(source string, frontMatter map[string]any) string {
	section, _ := frontMatter["section"].(string)
	if strings.TrimSpace(section) != "" {
		return strings.TrimSpace(section)
	}
	if parts := strings.Split(source, "/"); len(parts) > 2 {
		return parts[1]
	}
	return baseName(source)
}

// maxGist is about what an embedding model reads, in characters.
const maxGist = 2_000

// Gist returns the text by which documents are compared, in one line: title, summary and the beginning
// of the text. The rest of the front matter is left out, because all
// documents of one type have it in common. The error is a [*markdown.Error].
func Gist(content []byte) (string, error) {
	parsed, err := markdown.ParseAny(content)
	if err != nil {
		return "", err
	}
	body := markdown.Lines(content)[parsed.FrontMatterLines:]
	words := strings.Fields(parsed.Title + "\n" + parsed.Summary + "\n" + strings.Join(body, "\n"))
	return markdown.CutRunes(strings.Join(words, " "), maxGist), nil
}
