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
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/said"
	"github.com/compound-docs/compound-docs/rag/terms"
)

const (
	// maxLinks bounds the links that the index stores of one document.
	maxLinks = 1000
	// maxTitle bounds a title, in characters. A file may be one long line that is a heading.
	maxTitle = 1000
)

// Dissection describes what the index makes of a file.
type Dissection struct {
	// Document is the parsed file. The index stores its Title and Date.
	markdown.Document

	DocType string
	// FileTitle replaces a Title that more than two documents have. It is the name of the file, or the field title.
	FileTitle string
	Level     catalog.Level
	Passages  []DissectedPassage
	Links     []Link
	Status    said.Status
	// Number is the folder and the number of a decision, such as docs/adr/#12, "" for a document without a number.
	Number string
	// Places are the places of the repository that the document cites.
	Places []CitedPlace
	// Names are the names of code in the document. Messages are quoted texts that a program may have printed.
	Names, Messages []string
	// Triggers say at which edits and commands of an assistant the document is shown. TriggerFaults say which are invalid.
	Triggers      []said.Trigger
	TriggerFaults []said.Fault

	path       string
	stamp      document.Stamp
	schemaHash string
	undated    bool // the document has no date, and a lenient project requires none
}

// Link is a document's link to a file, by paths in the repository.
type Link struct {
	Target string
	// Fallback is the target if there is no document at Target; "" for none.
	Fallback string
	// Written is Target as the document writes it, without .md or with .html; "" if the document writes Target.
	Written string
	// Relation says what the document is to the target, such as [said.Supersedes], "" for an ordinary link.
	Relation said.Relation
}

// Paths returns all paths to which the link may lead. The first path with a document counts. If the link was written
// without .md, the page may also be an .mdx file.
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

	// Heading is the document's title and the headings above the text. It is searched and embedded with the text.
	Heading string
	// FrontMatter says that the text is made from the fields of the front matter.
	FrontMatter bool
	// Question says that the text is a question in the front matter, which the document answers. A search never returns
	// the question. If a query is near it, the passages of the document's text count more.
	Question bool

	language terms.Language
	hash     uuid.UUID
}

// Dissect parses and validates a file, and cuts it into passages. The error says why the file cannot be a document.
func Dissect(file document.File, collection catalog.Collection, schema Schema) (Dissection, error) {
	var folder, docType project.Rules // zero without a schema
	isDocument := true
	if schema != nil {
		folder, isDocument = schema.Rules(file.Path)
	}
	parsed, err := parseDocument(file, schema == nil || folder.Lenient())
	if err != nil {
		return Dissection{}, err
	}
	if !isDocument {
		return Dissection{}, apierror.Errorf(apierror.InvalidDocType, "the folder of %s belongs to no doc-type; "+
			"move it to the folder of one, or add a custom_doc_types entry for the folder to the config", file.Path)
	}
	var fields map[string]any // fields that a schema defines
	if schema != nil {
		fields = parsed.FrontMatter
		docType, err = classify(folder, fields)
		if err != nil {
			return Dissection{}, err
		}
	}
	date, _ := fields["date"].(string)
	if folder.Lenient() {
		date = cmp.Or(parsed.Date, dayOfName(file.Path))
	}
	status := said.StatusOf(parsed, file.Path)
	doc := Dissection{
		Document: *parsed, FileTitle: titleOfName(file.Path), DocType: docType.Name, Level: levelOf(fields),
		Links: dedupe(slices.Concat(
			resolveLinks(file.Path, folder, parsed.Links),
			resolveRelated(file.Path, docType.Docs, StringList(fields["related_docs"]), ""),
			resolveRelations(file.Path, folder, docType.Docs, slices.Concat(status.Relations, said.MentionsIn(parsed))),
		)),
		Status: status, Number: numberOf(file.Path, parsed.Title), path: file.Path, stamp: file.Stamp,
		schemaHash: catalog.SchemaStamp(docType.SchemaHash), undated: folder.Lenient() && date == "",
	}
	doc.Title, doc.Date = markdown.CutRunes(cmp.Or(parsed.Title, doc.FileTitle), maxTitle), date
	if parsed.FrontMatter["title"] != nil {
		doc.FileTitle = doc.Title
	} else if sectionName.MatchString(parsed.Title) { // as in RFCs that begin with "# Summary"
		doc.Title = markdown.CutRunes(doc.FileTitle, maxTitle)
	}
	quotes := said.Quotes(parsed)
	named := maps.Clone(parsed.FrontMatter)
	delete(named, said.TriggersField) // triggers are no text of the document
	doc.Names = said.Names(slices.Concat(quotes, namesOf(append(texts(named), parsed.Title))))
	doc.Messages = said.Messages(quotes)
	doc.Triggers, doc.TriggerFaults = said.Triggers(parsed.FrontMatter)
	doc.Triggers = append(doc.Triggers, said.Scope(file.Path, parsed.FrontMatter, FilesField)...)
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

// passagesOf returns the passages of a document in this order: front matter, text, questions. A page of the handbook
// has only passages of its text.
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
		// The document has only a title, or it is a handbook page with only a summary.
		for _, p := range cut(parsed.Summary, title, max(parsed.LineCount, 1)) {
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

// titleOfName returns a title for a file without one: the name of the file, or of the folder for README.md and
// index.md. It leaves out the ID that Notion adds, and replaces the dots that Dendron puts between folders by spaces.
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

// dayInName matches a day at the beginning or the end of a file's name, as in 2024-05-01-outage.md, 2024_05_01.md and
// outage-20240501.md. A time may follow a day at the beginning.
var dayInName = regexp.MustCompile(`^(\d{4})[-_.]?(\d\d)[-_.]?(\d\d)(?:T?\d{4}|T?\d{6})?(?:[-_ .]|$)|` +
	`[-_ .](\d{4})[-_.]?(\d\d)[-_.]?(\d\d)$`)

func dayOfName(file string) string {
	found := dayInName.FindStringSubmatch(baseName(file))
	if found == nil {
		return ""
	}
	day, _ := markdown.Day(strings.Trim(strings.Join(found[1:], "-"), "-"))
	return day
}

// handbookSection returns the section of a handbook page: the field section of the front matter. Without this field it
// is the first folder below the ingested folder, or the name of a file directly in the ingested folder.
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

// maxGist bounds a gist, in characters. An embedding model reads approximately this many characters of a text.
const maxGist = 2_000

// Gist returns a text for comparing whole documents, in one line: title, summary and the beginning of the text. Other
// fields are left out, because documents of one doc-type have them in common. The error is a [*markdown.Error].
func Gist(content []byte) (string, error) {
	parsed, err := markdown.ParseAny(content)
	if err != nil {
		return "", err
	}
	body := markdown.Lines(content)[parsed.FrontMatterLines:]
	text := parsed.Title + "\n" + parsed.Summary + "\n" + strings.Join(body, "\n")
	return markdown.CutRunes(markdown.OneLine(text), maxGist), nil
}
