package index

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/terms"
)

const (
	// maxLinks bounds the links kept of one document.
	maxLinks = 1000
	// maxTitle bounds a title, in characters: a heading may be a file of one line.
	maxTitle = 1000
	// maxTags bounds the text of all tags, in characters: a search shows as many.
	maxTags = 2000
)

// prepared is a file made ready for the database.
type prepared struct {
	Dissection // without what Dissect adds: Terms of passages
	file       document.File
	parsed     *markdown.Document
	schemaHash string
	// undated is set if the front matter has no date.
	undated bool
	// sections is how many of the passages are of the text behind the front matter.
	sections int
	docType  document.DocType // that of its folder
	language terms.Language
}

// Schema says what documents of a collection must be like. A nil Schema takes any markdown.
type Schema interface {
	// DocumentType returns the doc-type that the folder of path implies.
	DocumentType(path string) (document.DocType, bool)
}

// parse parses a file. Without a schema, and with a lenient one, invalid front matter is not an error.
func parse(file document.File, schema Schema) (*markdown.Document, error) {
	read := markdown.Parse
	if schema == nil {
		read = markdown.ParseAny
	} else if docType, ok := schema.DocumentType(file.Path); ok && docType.Lenient() {
		read = markdown.ParseAny
	}
	parsed, err := read(file.Content)
	if line := document.ConflictLine(file.Content); err != nil && line > 0 {
		err = &markdown.Error{Line: line, Problem: "git has left the marks of a merge conflict; keep one side, and remove the marks"}
	}
	if err != nil {
		return nil, &apierror.Error{Code: apierror.SchemaValidationFailed, Err: err}
	}
	return parsed, nil
}

// prepare parses and validates a file and cuts it into passages. Its error says
// why the file cannot be a document.
func prepare(file document.File, collection catalog.Collection, schema Schema) (*prepared, error) {
	parsed, err := parse(file, schema)
	if err != nil {
		return nil, err
	}
	doc := &prepared{file: file, parsed: parsed, schemaHash: catalog.SchemaStamp(""), Dissection: Dissection{
		Title: parsed.Title, Summary: parsed.Summary, Level: catalog.Standard,
		FrontMatter: parsed.FrontMatter, FrontMatterLines: parsed.FrontMatterLines,
	}}
	if doc.Title == "" {
		doc.Title = strings.TrimSuffix(path.Base(file.Path), path.Ext(file.Path))
	}
	doc.Title = markdown.CutRunes(doc.Title, maxTitle)
	if schema != nil {
		if err := doc.classify(parsed.FrontMatter, schema); err != nil {
			return nil, err
		}
	}
	doc.language = cmp.Or(doc.language, terms.Detect(string(file.Content)))
	doc.Links = dedupe(append(resolveLinks(file.Path, doc.docType, parsed.Links), doc.Links...))
	if collection == catalog.Compounding {
		doc.Places = citedPlaces(file.Path, doc.docType.LinkRoot, parsed)
	}
	if collection == catalog.Handbook {
		doc.DocType = handbookSection(file.Path, parsed.FrontMatter)
	}
	body := parsed.Passages(doc.Title, markdown.DefaultLimit())
	if doc.sections = len(body); collection != catalog.Handbook {
		body = append(frontMatterPassages(parsed, doc.Title), body...)
	}
	if len(body) == 0 {
		// A title alone, or the summary of a handbook page.
		whole := markdown.Passage{StartLine: 1, EndLine: max(parsed.LineCount, 1), Text: doc.Summary}
		body = halved(whole, roomBeside(doc.Title))
	}
	for i, p := range body {
		doc.addPassage(DissectedPassage{
			Passage: p, Heading: markdown.Heading(doc.Title, p.HeaderPath), FrontMatter: i < len(body)-doc.sections,
		})
	}
	if collection != catalog.Handbook {
		doc.addQuestions()
	}
	return doc, nil
}

// addQuestions adds a passage for each question of the front matter, after those of the text.
func (d *prepared) addQuestions() {
	for _, text := range questions(d.FrontMatter) {
		d.addPassage(DissectedPassage{
			Passage: markdown.Passage{StartLine: 1, EndLine: d.parsed.FrontMatterLines, Text: text},
			Heading: markdown.Heading(d.Title, ""), FrontMatter: true, Question: true,
		})
	}
}

// addPassage adds a passage in the language of the document.
func (d *prepared) addPassage(p DissectedPassage) {
	p.language = d.language
	p.hash = catalog.PassageHash(p.Heading, p.Text, strings.TrimPrefix(string(d.language), string(terms.English)))
	d.Passages = append(d.Passages, p)
}

// report logs bytes that were replaced and front matter that is indexed as text.
func (x *Indexer) report(ctx context.Context, doc *prepared) {
	if doc.parsed.Replaced > 0 {
		x.index.logger.WarnContext(ctx, "bytes that are not UTF-8 were replaced by \ufffd; save the file as UTF-8 text",
			"path", doc.file.Path, "line", doc.parsed.Replaced)
	}
	if doc.parsed.NotFrontMatter != nil {
		x.index.logger.InfoContext(ctx, "what looks like front matter is indexed as text",
			"path", doc.file.Path, "reason", doc.parsed.NotFrontMatter)
	}
}

// classify fills what the front matter says, its links among that, and checks it against its doc-type.
func (d *prepared) classify(frontMatter map[string]any, schema Schema) error {
	docType, ok := schema.DocumentType(d.file.Path)
	if !ok {
		return apierror.Errorf(apierror.InvalidDocType,
			"the folder of %s belongs to no doc-type; move it to the folder of one, "+
				"or add a custom_doc_types entry for the folder to the config", d.file.Path)
	}
	d.docType, d.language = docType, terms.Language(docType.Language)
	if docType.Lenient() {
		docType = namedType(docType, frontMatter)
		frontMatter = usable(frontMatter)
		d.undated = frontMatter["date"] == nil
	} else if violations := docType.Validate(frontMatter); len(violations) > 0 {
		return violationsError(docType, violations)
	}
	d.DocType, d.schemaHash = docType.Name, catalog.SchemaStamp(docType.SchemaHash)
	d.Date, _ = frontMatter["date"].(string)
	if level, ok := frontMatter["promotion_level"].(string); ok {
		d.Level = catalog.Level(level)
	}
	d.Links = resolveRelated(d.file.Path, docType.Docs, stringList(frontMatter["related_docs"]))
	for _, link := range resolveRelated(d.file.Path, docType.Docs, stringList(frontMatter["supersedes"])) {
		link.Supersedes = true
		d.Links = append(d.Links, link)
	}
	return nil
}

func violationsError(docType document.DocType, violations []document.Violation) *apierror.Error {
	lines := make([]string, len(violations))
	for i, v := range violations {
		lines[i] = fmt.Sprintf("%s %s (expected: %s)", v.Field, v.Problem, v.Expected)
	}
	e := apierror.Errorf(apierror.SchemaValidationFailed, "the front matter does not fit the doc-type %q: %s",
		docType.Name, strings.Join(lines, "; "))
	return e.With("doc_type", docType.Name).With("violations", violations)
}

func stringList(value any) []string {
	list := []string{}
	switch value := value.(type) {
	case string:
		list = append(list, value)
	case []any:
		for _, item := range value {
			if s, ok := item.(string); ok {
				list = append(list, s)
			}
		}
	}
	return list
}

// handbookSection is the front matter's section, else the first folder below
// the ingested one, else the name of the file.
func handbookSection(source string, frontMatter map[string]any) string {
	if section, ok := frontMatter["section"].(string); ok && strings.TrimSpace(section) != "" {
		return strings.TrimSpace(section)
	}
	if parts := strings.Split(source, "/"); len(parts) > 2 {
		return parts[1]
	}
	base := path.Base(source)
	return strings.TrimSuffix(base, path.Ext(base))
}

// WithLevel returns the file's bytes with the promotion line changed, or added,
// and nothing else, and the document's level before. The error says why the file is not
// a document, or would not be one with the new level.
func (x *Indexer) WithLevel(file document.File, level catalog.Level) (content []byte, previous catalog.Level, err error) {
	before, err := prepare(file, x.collection, x.schema)
	if err != nil {
		return nil, "", err
	}
	if content, err = markdown.SetPromotionLevel(file.Content, string(level)); err != nil {
		return nil, "", &apierror.Error{Code: apierror.SchemaValidationFailed, Err: err}
	}
	file.Content = content
	after, err := prepare(file, x.collection, x.schema)
	if err != nil {
		return nil, "", fmt.Errorf("with the level %s: %w", level, err)
	}
	if after.Level != level {
		return nil, "", apierror.Errorf(apierror.SchemaValidationFailed, "the front matter cannot take the level %s", level)
	}
	return content, before.Level, nil
}
