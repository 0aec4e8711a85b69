// Package docset reads a project's documents, and the links between them, from the files. It takes the rules for
// documents and links from the packages that make the index. Package docset must not know the database, models or MCP.
package docset

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/said"
	"github.com/compound-docs/compound-docs/watch"
)

// Document is a document of the project, or a file that cannot be indexed as one.
type Document struct {
	Path    string // relative to the repository
	Content []byte
	Err     error // why the document cannot be indexed; the fields below are then empty
	index.Dissection

	Targets []Target // where links in the text lead, in the order of the text
}

// Target is where a link leads.
type Target struct {
	Path     string
	Relation said.Relation
	Document *Document // nil if Path is no document, or a document that cannot be indexed
	Missing  bool      // nothing exists where the link may lead
	Wiki     bool      // the link is written as [[page]]; a text like [[nodiscard]] looks like such a link
}

// Set is the documents of a project. Nobody changes a Set after Read has returned it.
type Set struct {
	// Documents are sorted by path.
	Documents []*Document

	byPath map[string]*Document
	// byName finds documents by two texts in lower case. The first text is the document's path, a folder above it, such as
	// docs/, or "" for all documents. The second text is the file's name. byNumber finds decisions by folder and number,
	// such as docs/adr/#12. Both maps list documents with short paths first.
	byName   map[[2]string][]*Document
	byNumber map[string][]*Document
}

// Find returns a document by its path, or nil.
func (s *Set) Find(path string) *Document { return s.byPath[path] }

// Read reads the project's own documents.
func Read(ctx context.Context, p *project.Project) (*Set, error) {
	return ReadOnly(ctx, p, func([]byte) bool { return true })
}

// ReadOnly is like Read, but parses only files for which wanted returns true. The documents of other files have only
// Path and Content. After an error, ReadOnly returns the documents that it has read so far.
func ReadOnly(ctx context.Context, p *project.Project, wanted func(content []byte) bool) (*Set, error) {
	return readFolders(ctx, p, workspace.OwnFolders(p), func(file document.File) (index.Dissection, error) {
		if !wanted(file.Content) {
			return index.Dissection{}, nil
		}
		return index.Dissect(file, catalog.Compounding, p)
	})
}

// newSet returns the set of documents, and finds out where their links lead.
func newSet(p *project.Project, documents []*Document) (*Set, error) {
	set := &Set{
		Documents: documents, byPath: map[string]*Document{}, byName: map[[2]string][]*Document{}, byNumber: map[string][]*Document{},
	}
	length := func(d *Document) int { return utf8.RuneCountInString(d.Path) }
	for _, d := range slices.SortedStableFunc(slices.Values(documents), func(a, b *Document) int { return length(a) - length(b) }) {
		set.byNumber[d.Number] = append(set.byNumber[d.Number], d)
		set.byPath[d.Path] = d
		lower := strings.ToLower(d.Path)
		key := [2]string{lower, path.Base(lower)}
		set.byName[key] = append(set.byName[key], d)
		for key[0] != "" {
			key[0], _ = path.Split(strings.TrimSuffix(key[0], "/"))
			set.byName[key] = append(set.byName[key], d)
		}
	}
	nameByFiles(documents)
	root, err := contain.Open(p.Root)
	if err != nil {
		return set, err
	}
	defer root.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	for _, d := range set.Documents {
		for _, link := range d.Links {
			if target := set.target(root, d.Path, link); target.Path != d.Path && link.Relation != said.Mentions {
				d.Targets = append(d.Targets, target)
			}
		}
	}
	return set, nil
}

// nameByFiles replaces a title that several documents share, such as "RFC template", by each document's FileTitle. The
// query DocumentUpdateTitles follows this rule in the index and gives the reasons.
func nameByFiles(documents []*Document) {
	byTitle := map[string][]*Document{}
	for _, d := range documents {
		byTitle[d.Title] = append(byTitle[d.Title], d)
	}
	for _, same := range byTitle {
		isOther := func(d *Document) bool { return d.FileTitle != same[0].FileTitle }
		hasOther := func(d *Document) bool { return len(d.Content) != len(same[0].Content) }
		if len(same) > 2 && slices.ContainsFunc(same, isOther) && slices.ContainsFunc(same, hasOther) {
			for _, d := range same {
				d.Title = d.FileTitle
			}
		}
	}
}

// ReadExternal reads the external docs of a project. After an error, it returns the documents that it has read so far.
func ReadExternal(ctx context.Context, p *project.Project) (*Set, error) {
	external, ok := p.External()
	if !ok {
		return &Set{}, nil
	}
	folders := []watch.Folder{workspace.ExternalFolder(p, external)}
	return readFolders(ctx, p, folders, func(file document.File) (index.Dissection, error) {
		return index.Dissect(file, catalog.External, nil)
	})
}

// readFolders reads the documents of folders. After an error in a folder, it goes on with the next folder.
func readFolders(
	ctx context.Context, p *project.Project, folders []watch.Folder, dissect func(document.File) (index.Dissection, error),
) (*Set, error) {
	documents := []*Document{}
	var readErr error
	for _, folder := range folders {
		readErr = cmp.Or(readErr, folder.ReadAll(ctx, func(file document.File, err error) {
			d := &Document{Path: file.Path, Content: file.Content, Err: err}
			documents = append(documents, d)
			if err != nil {
				return
			}
			d.Dissection, d.Err = dissect(file)
		}))
	}
	slices.SortFunc(documents, func(a, b *Document) int { return strings.Compare(a.Path, b.Path) })
	set, err := newSet(p, documents)
	return set, errors.Join(readErr, err)
}

// Standings says which documents are still valid, and which were replaced or amended, by the rules of the index.
func (s *Set) Standings() catalog.Standings {
	declared := map[string]catalog.Said{}
	later := map[said.Relation]map[string][]string{said.Supersedes: {}, said.Amends: {}} // by older document
	for _, d := range s.Documents {
		declared[d.Path] = catalog.Said{Status: catalog.Status(d.Status.Word), Until: d.Status.Until}
		for _, target := range d.Targets {
			newer, older, relation := Forward(d.Path, target.Path, target.Relation)
			if of := later[relation]; of != nil && target.Document != nil {
				of[older] = append(of[older], newer)
			}
		}
	}
	for _, of := range later {
		for _, paths := range of {
			slices.SortFunc(paths, func(a, b string) int {
				return cmp.Or(strings.Compare(s.byPath[b].Date, s.byPath[a].Date), strings.Compare(a, b))
			})
		}
	}
	return catalog.NewStandings(declared, later[said.Supersedes], later[said.Amends])
}

// Forward turns a relation around if the older document states it: "B is superseded by A" becomes "A supersedes B".
// newFrom and newTo are the two documents in the new order. Other relations stay as they are.
func Forward[T any](from, to T, relation said.Relation) (newFrom, newTo T, forward said.Relation) {
	switch relation {
	case said.SupersededBy:
		return to, from, said.Supersedes
	case said.AmendedBy:
		return to, from, said.Amends
	default:
		return from, to, relation
	}
}

// Numbered returns the documents that have a number, such as docs/adr/#12, except the document at the path source. It
// returns at most two documents, because two show that the number is ambiguous.
func (s *Set) Numbered(source, number string) []*Document {
	var others []*Document
	for _, d := range s.byNumber[number] {
		if d.Path != source && len(others) < 2 {
			others = append(others, d)
		}
	}
	return others
}

// Resolve returns the path to which a link leads, by the rules of the index. source is the path of the document with
// the link. A number leads to the only document that has the number. A wikilink leads to a document whose path ends
// with the link's name, in upper or lower case. Like Obsidian 1.13, Resolve prefers the page at link.Fallback, then a
// page below the folder of source, then the shortest path. Any other link leads to the first of link.Paths that is a
// document. If no document matches, Resolve returns the path that the link names.
func (s *Set) Resolve(source string, link index.Link) string {
	if numbered := s.Numbered(source, link.Target); link.Relation != "" && len(numbered) == 1 {
		return numbered[0].Path
	}
	name, isPage := strings.CutPrefix(link.Target, markdown.AnyFolder)
	if !isPage {
		for _, path := range link.Paths() {
			if s.byPath[path] != nil {
				return path
			}
		}
		return link.Target
	}
	lower := strings.ToLower(name)
	for _, first := range []string{link.Fallback, path.Dir(source) + "/", ""} {
		for _, d := range s.byName[[2]string{strings.ToLower(first), path.Base(lower)}] {
			if strings.HasSuffix("/"+strings.ToLower(d.Path), "/"+lower) {
				return d.Path
			}
		}
	}
	return name
}

// target finds out where a link leads. source is the path of the document with the link.
func (s *Set) target(root *contain.Root, source string, link index.Link) Target {
	wiki := strings.HasPrefix(link.Target, markdown.AnyFolder)
	target := Target{Path: s.Resolve(source, link), Relation: link.Relation, Wiki: wiki}
	d := s.byPath[target.Path]
	if d == nil {
		target.Path = cmp.Or(link.Written, target.Path)
		target.Missing = !root.Exists(target.Path) && !slices.ContainsFunc(link.Paths()[1:], root.Exists)
	} else if d.Err == nil {
		target.Document = d
	}
	return target
}
