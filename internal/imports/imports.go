// Package imports proposes documents of a project from what its team wrote elsewhere:
// decision records, solved problems, a changelog and Claude Code's memory. It reads files
// and writes none.
package imports

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/gitlog"
	"github.com/compound-docs/compound-docs/internal/lint"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/scaffold"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// Proposal is a document that could be written.
type Proposal struct {
	// Source is the file that it is made from, relative to the repository unless that is
	// elsewhere. Path is where it would be, relative to the repository.
	Source  string `json:"source"`
	Path    string `json:"path"`
	DocType string `json:"doc_type"`
	Title   string `json:"title"`
	Summary string `json:"summary"`
	Content string `json:"content"`
	// Neighbours are the project's documents that are most like it.
	Neighbours []lint.Near `json:"neighbours"`
}

// usual are the files and folders that are looked into unless others are named.
var usual = []string{
	"docs/adr", "docs/adrs", "docs/decisions", "docs/architecture/decisions", "doc/adr", "doc/architecture/decisions",
	"docs/solutions", "CHANGELOG.md",
}

// Find proposes documents from the sources, files and folders of the repository, or from the
// usual ones if there is none, and from the files of memory, a folder, unless that is "". What
// is a document already, or would have the path of one, is left out. unfit says of which
// files nothing could be made.
func Find(
	ctx context.Context, p *project.Project, sources []string, memory string,
) (proposals []Proposal, unfit []error, err error) {
	set, err := docset.Read(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	root, err := contain.Open(p.Root)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	f := finder{project: p, root: root, near: lint.Nearest(set), added: added(ctx, p.Root), proposed: map[string]bool{}}
	given := len(sources) > 0 || memory != ""
	if !given {
		sources = usual
	}
	for _, source := range sources {
		err := f.look(path.Clean(filepath.ToSlash(source)))
		if missing := errors.Is(err, fs.ErrNotExist); missing && given {
			return nil, nil, fmt.Errorf("the repository has no %s", source)
		} else if err != nil && !missing {
			return nil, nil, fmt.Errorf("look for documents: %w", err)
		}
	}
	if memory != "" {
		err = f.remember(memory)
	}
	return f.proposals, f.unfit, err
}

// added returns when git says that the files of a repository were committed first, nothing
// without git.
func added(ctx context.Context, root string) map[string]string {
	folder, err := gitlog.Open(root)
	if err != nil {
		return nil
	}
	commit, err := folder.Head(ctx)
	if err != nil {
		return nil
	}
	dates, _ := folder.Added(ctx, commit) // without git the file's own time serves
	return dates
}

type finder struct {
	project *project.Project
	root    *contain.Root
	near    func(content []byte) []lint.Near
	added   map[string]string

	proposed  map[string]bool // paths
	proposals []Proposal
	unfit     []error
}

// look proposes what a file or folder of the repository holds.
func (f *finder) look(source string) error {
	info, err := f.root.Lstat(source)
	if err != nil {
		return err
	}
	files := []string{source}
	if info.IsDir() {
		files = scaffold.Markdown(f.root, source, f.project.DocsDir())
	}
	for _, name := range files {
		if f.project.DocsDir() == path.Dir(name) || strings.HasPrefix(name, f.project.DocsDir()+"/") {
			continue
		}
		f.take(f.root, name, name, f.typeOf(name))
	}
	return nil
}

// remember proposes the files of Claude Code's memory.
func (f *finder) remember(folder string) error {
	root, err := contain.Open(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("Claude Code has noted nothing of this project: there is no %s", folder) //nolint:staticcheck // a name
	}
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // as above
	for _, name := range scaffold.Markdown(root, ".", "") {
		f.take(root, name, filepath.Join(folder, filepath.FromSlash(name)), insight)
	}
	return nil
}

// insight is the doc-type of what has the fields of no other.
const insight = "insight"

// typeOf returns the doc-type that the folders of a file imply, as teams name them.
func (f *finder) typeOf(name string) string {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if t, ok := f.project.DocTypeCalled(path.Base(dir)); ok {
			return t.Name
		}
	}
	return insight
}

// take proposes what a file of root says. source is how it is named.
func (f *finder) take(root *contain.Root, name, source, docType string) {
	file, err := root.Read(name, contain.MaxDocument)
	if err == nil && strings.HasPrefix(strings.ToLower(path.Base(name)), "changelog") {
		f.takeReleases(file.Content, source)
		return
	}
	var parsed *markdown.Document
	if err == nil {
		parsed, err = markdown.ParseAny(file.Content)
	}
	if err != nil {
		f.unfit = append(f.unfit, fmt.Errorf("%s: %w", source, err))
		return
	}
	date := f.added[name]
	if info, err := root.Lstat(name); date == "" && err == nil {
		date = info.ModTime().Format(time.DateOnly)
	}
	stem := strings.TrimSuffix(path.Base(name), path.Ext(name))
	text := strings.Join(slices.Collect(strings.Lines(string(file.Content)))[parsed.FrontMatterLines:], "")
	f.propose(source, stem, docType, date, text, parsed)
}

// releaseTitle begins the titles of documents about releases.
const releaseTitle = "Release "

// release is the heading of a version, with the date of it.
var release = regexp.MustCompile(`^##\s+\[?v?(\d[^\s\]]*)\]?(?:\([^)]*\))?[^\d]*(\d{4}-\d\d-\d\d)`)

// takeReleases proposes a document for each dated version of a changelog.
func (f *finder) takeReleases(content []byte, source string) {
	for _, section := range strings.Split("\n"+string(content), "\n## ")[1:] {
		heading, text, _ := strings.Cut(section, "\n")
		found := release.FindStringSubmatch("## " + heading)
		if found == nil || strings.TrimSpace(text) == "" {
			continue
		}
		text = "# " + releaseTitle + found[1] + "\n" + text + "\n"
		if parsed, err := markdown.ParseAny([]byte(text)); err == nil {
			f.propose(source, "release-"+found[1], insight, found[2], text, parsed)
		}
	}
}

// notInNames is what names of files are spared.
var notInNames = regexp.MustCompile(`[^\pL\pN_-]+`)

// propose proposes a document with the text of a source, as one of the doc-type if it has the
// fields of that, and as an insight otherwise.
func (f *finder) propose(source, stem, docType, date, text string, parsed *markdown.Document) {
	given := textOr(parsed.FrontMatter["date"], textOr(parsed.FrontMatter["created"], ""))
	if found := dated.FindStringSubmatch(given + "\n" + text); found != nil {
		date = found[1]
	}
	p := Proposal{Source: source, Title: cmp.Or(parsed.Title, stem), Summary: parsed.Summary}
	if given, _ := parsed.FrontMatter["summary"].(string); given == "" {
		p.Summary = summaryOf(text, p)
	}
	for _, name := range slices.Compact([]string{docType, insight}) {
		t, ok := f.project.DocType(name)
		fields := fieldsOf(name, source, text, parsed.FrontMatter)
		if !ok || fields == nil {
			continue
		}
		maps.Copy(fields, map[string]any{"doc_type": name, "title": p.Title, "date": date, "summary": p.Summary})
		if wrong := t.Validate(fields); len(wrong) > 0 {
			continue
		}
		file := strings.Trim(notInNames.ReplaceAllString(stem, "-"), "-") + ".md"
		p.DocType, p.Path = name, path.Join(f.project.DocsDir(), t.Folder, file)
		p.Content = frontMatter(fields) + "\n" + f.relinked(strings.TrimSpace(text), path.Dir(source), path.Dir(p.Path)) + "\n"
		if !f.proposed[p.Path] && !f.root.Exists(p.Path) {
			f.proposed[p.Path] = true
			p.Neighbours = f.near([]byte(p.Content))
			f.proposals = append(f.proposals, p)
		}
		return
	}
	f.unfit = append(f.unfit, fmt.Errorf("%s: the date %q is none, or no doc-type of the project takes it", source, date))
}

// link is one to a file, relative to the text that has it.
var link = regexp.MustCompile(`\]\(([^)\s#:/][^)\s#:]*)`)

// relinked returns a text of one folder for another one, with the links to files of the
// repository that it has.
func (f *finder) relinked(text, from, to string) string {
	return link.ReplaceAllStringFunc(text, func(found string) string {
		target := path.Join(from, strings.TrimPrefix(found, "]("))
		relative, err := filepath.Rel(to, target)
		if err != nil || !f.root.Exists(target) {
			return found
		}
		return "](" + filepath.ToSlash(relative)
	})
}

// summaryOf returns what a record decided or a release changed, or else what the text begins
// with, in one line.
func summaryOf(text string, p Proposal) string {
	if dated.MatchString(p.Summary) {
		p.Summary = ""
	}
	summary := cmp.Or(section(text, "decision"), section(text, "solution|problem|context"))
	if summary == "" && strings.HasPrefix(p.Title, releaseTitle) {
		summary = strings.Join(item.FindAllString(text, -1), " ")
	}
	return markdown.CutRunes(cmp.Or(summary, p.Summary, p.Title), maxSummary)
}

// maxSummary is in characters.
const maxSummary = 300

var item = regexp.MustCompile(`(?m)^[-*] +.+$`)

// dated is a date as front matter and decision records name it.
var dated = regexp.MustCompile(`(?mi)^(?:[-*]\s*)?(?:\**(?:date|created):?\**:?\s*)?(\d{4}-\d\d-\d\d)\s*$`)
