package index

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"path"
	"strings"

	"github.com/google/uuid"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// maxLinks bounds the links kept of one document.
const maxLinks = 1000

// format names what this version makes of a file: its passages, their terms and its
// links. A change of that changes the name, and every document is indexed again.
const format = "1"

// FilesField is the field of the front matter that names the files of the repository that
// a document is about.
const FilesField = "files_involved"

// maxFiles bounds the files kept of one document.
const maxFiles = 100

// prepared is a file made ready for the database.
type prepared struct {
	file        document.File
	contentHash document.Hash
	schemaHash  string
	title       string
	summary     string
	docType     string
	date        string
	// undated is set if the date is to be found otherwise than in the front matter.
	undated   bool
	level     rag.Level
	charCount int
	// files are what FilesField has in these places, "" for what is no file.
	files       []string
	frontMatter map[string]any
	// replaced and notFrontMatter are as in [markdown.Document].
	replaced       int
	notFrontMatter error
	passages       []passage
	// sections is how many of the passages are of the text behind the front matter.
	sections int
	links    []link
}

// passage is a unit of text with its place in the document.
type passage struct {
	markdown.Passage
	heading string
	hash    uuid.UUID
}

// newPassage places the passage in a document titled title.
func newPassage(p markdown.Passage, title string) passage {
	heading := markdown.Heading(title, p.HeaderPath)
	return passage{Passage: p, heading: heading, hash: passageHash(heading, p.Text)}
}

// passageHash identifies what is searched and embedded. Each part is preceded by its
// length, so that no two different pairs hash alike. format is among them: a passage
// that this version would store otherwise is another one.
func passageHash(heading, text string) uuid.UUID {
	h := sha256.New()
	for _, part := range []string{format, heading, text} {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		h.Write(length[:])
		h.Write([]byte(part))
	}
	return uuid.UUID(h.Sum(nil)[:len(uuid.UUID{})])
}

// Schema says what documents of a collection must be like. A nil Schema takes
// any markdown.
type Schema interface {
	// DocumentType returns the doc-type that the folder of path implies.
	DocumentType(path string) (document.DocType, bool)
}

// parse parses a file. Without a schema, and with a lenient one, invalid front matter is
// not an error.
func parse(file document.File, schema Schema) (*markdown.Document, error) {
	read := markdown.Parse
	if schema == nil {
		read = markdown.ParseAny
	} else if docType, ok := schema.DocumentType(file.Path); ok && docType.Lenient() {
		read = markdown.ParseAny
	}
	parsed, err := read(file.Content)
	if err != nil {
		return nil, &rag.Error{Code: rag.SchemaValidationFailed, Err: err}
	}
	return parsed, nil
}

// prepare parses and validates a file and cuts it into passages. Its error says
// why the file cannot be a document.
func prepare(file document.File, collection rag.Collection, schema Schema) (*prepared, error) {
	parsed, err := parse(file, schema)
	if err != nil {
		return nil, err
	}
	return prepareParsed(file, parsed, collection, schema)
}

func prepareParsed(file document.File, parsed *markdown.Document, collection rag.Collection, schema Schema) (*prepared, error) {
	doc := &prepared{
		file: file, contentHash: sha256.Sum256(file.Content),
		title: parsed.Title, summary: parsed.Summary, level: rag.Standard,
		charCount: parsed.CharCount, frontMatter: parsed.FrontMatter, schemaHash: schemaStamp(""),
		links: resolveLinks(file.Path, parsed.Links), replaced: parsed.Replaced, notFrontMatter: parsed.NotFrontMatter,
	}
	if doc.title == "" {
		doc.title = strings.TrimSuffix(path.Base(file.Path), path.Ext(file.Path))
	}
	if schema != nil {
		if err := doc.classify(parsed.FrontMatter, schema); err != nil {
			return nil, err
		}
	}
	if collection == rag.Handbook {
		doc.docType = handbookSection(file.Path, parsed.FrontMatter)
	}
	body := parsed.Passages(doc.title, markdown.DefaultLimit())
	if doc.sections = len(body); collection != rag.Handbook {
		body = append(frontMatterPassages(parsed, doc.title), body...)
	}
	if len(body) == 0 {
		// A title alone, or the summary of a handbook page.
		whole := markdown.Passage{StartLine: 1, EndLine: max(parsed.LineCount, 1), Text: doc.summary}
		body = halved(whole, roomBeside(doc.title))
	}
	for _, p := range body {
		doc.passages = append(doc.passages, newPassage(p, doc.title))
	}
	return doc, nil
}

// report logs bytes that were replaced and front matter that is indexed as text.
func (x *Indexer) report(ctx context.Context, doc *prepared) {
	if doc.replaced > 0 {
		x.index.logger.WarnContext(ctx, "bytes that are not UTF-8 were replaced by \ufffd; save the file as UTF-8 text",
			"path", doc.file.Path, "line", doc.replaced)
	}
	if doc.notFrontMatter != nil {
		x.index.logger.InfoContext(ctx, "what looks like front matter is indexed as text",
			"path", doc.file.Path, "reason", doc.notFrontMatter)
	}
}

// classify fills what the front matter says, and checks it against its doc-type.
func (d *prepared) classify(frontMatter map[string]any, schema Schema) error {
	docType, ok := schema.DocumentType(d.file.Path)
	if !ok {
		return rag.Errorf(rag.InvalidDocType, "the folder of %s belongs to no doc-type; move it to the folder of one (list_doc_types "+
			"names them) or add a custom_doc_types entry for the folder to the config", d.file.Path)
	}
	if docType.Lenient() {
		docType = namedType(docType, frontMatter)
		frontMatter = usable(frontMatter)
		d.undated = frontMatter["date"] == nil
	} else if violations := docType.Validate(frontMatter); len(violations) > 0 {
		return violationsError(docType, violations)
	}
	d.docType, d.schemaHash = docType.Name, schemaStamp(docType.SchemaHash)
	d.date, _ = frontMatter["date"].(string)
	if level, ok := frontMatter["promotion_level"].(string); ok {
		d.level = rag.Level(level)
	}
	d.files = filesOf(frontMatter[FilesField])
	d.links = append(d.links, resolveRelated(d.file.Path, docType.Docs, stringList(frontMatter["related_docs"]))...)
	for _, link := range resolveRelated(d.file.Path, docType.Docs, stringList(frontMatter["supersedes"])) {
		link.supersedes = true
		d.links = append(d.links, link)
	}
	d.links = dedupe(d.links)
	return nil
}

// schemaStamp identifies what a document was indexed with: this format, and a schema of
// the given fingerprint.
func schemaStamp(fingerprint string) string { return format + ":" + fingerprint }

func violationsError(docType document.DocType, violations []document.Violation) *rag.Error {
	lines := make([]string, len(violations))
	for i, v := range violations {
		lines[i] = fmt.Sprintf("%s %s (expected: %s)", v.Field, v.Problem, v.Expected)
	}
	e := rag.Errorf(rag.SchemaValidationFailed, "the front matter does not fit the doc-type %q: %s",
		docType.Name, strings.Join(lines, "; "))
	return e.With("doc_type", docType.Name).With("violations", violations)
}

func filesOf(value any) []string {
	list, _ := value.([]any)
	var files []string
	for _, item := range list[:min(len(list), maxFiles)] {
		name, _ := item.(string)
		if strings.ContainsAny(name, "\x00\n") {
			name = ""
		}
		files = append(files, name)
	}
	return files
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
