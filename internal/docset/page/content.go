package page

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/docset/lint"
	"github.com/compound-docs/compound-docs/internal/history"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/said"
)

// content is the data of the page. The page's scripts read it.
type content struct {
	Project   string         `json:"project"`
	Made      string         `json:"made"`
	Documents []entry        `json:"documents"`
	Findings  []lint.Finding `json:"findings"`
	Notes     []string       `json:"notes"`
	// Questions are the searches that found nothing, and when each was last asked.
	Questions map[string]time.Time `json:"questions"`
	// Shown says how often hooks have shown each document, by path.
	Shown map[string]int `json:"shown"`
	// Stems maps search terms to words of the documents; see the function stems.
	Stems map[string]string `json:"stems"`
	// Pictures are data URLs, each with a whole picture. The HTML of documents names pictures by index.
	Pictures []string `json:"pictures"`
}

// entry is a document of the page. Documents that cannot be indexed are not on the page.
type entry struct {
	Path        string         `json:"path"`
	Title       string         `json:"title"`
	Type        string         `json:"type"` // doc-type, or "external" for external docs
	External    bool           `json:"external,omitempty"`
	Level       catalog.Level  `json:"level"`
	Date        string         `json:"date"`
	Changed     string         `json:"changed"` // the day of the last commit that changed the document, or Date if later
	Summary     string         `json:"summary"`
	FrontMatter map[string]any `json:"front_matter"`
	HTML        string         `json:"html"`
	// Links, Supersedes and Amends are paths of other documents. Supersedes also has documents that say "superseded by"
	// this document. Amends also has documents that say "amended by" this document.
	Links      []string `json:"links"`
	Supersedes []string `json:"supersedes"`
	Amends     []string `json:"amends"`
	// By is the path of another document that people must read before this document. Mark says why readers must not rely
	// on this document alone, such as "expired 2026-01-02". Both fields may be "".
	By   string `json:"by"`
	Mark string `json:"mark"`
}

// fill sets Documents, Stems and Pictures from the documents that can be indexed. The latest document comes first.
func (c *content) fill(ctx context.Context, p *project.Project, set, external *docset.Set) error {
	root, err := contain.Open(p.Root)
	if err != nil {
		return fmt.Errorf("open the repository: %w", err)
	}
	defer root.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	r := &renderer{project: p, set: set, external: external, pictures: pictures{root: root, found: map[string]int{}}}
	standings := set.Standings()
	ofExternal := external.Standings()
	today := catalog.Today()
	all, undated, read, texts := []entry{}, []string{}, []*docset.Document{}, []string{}
	for i, d := range slices.Concat(set.Documents, external.Documents) {
		if d.Err != nil || ctx.Err() != nil {
			continue
		}
		lines := markdown.Lines(d.Content)
		e := entry{
			Path: d.Path, Title: d.Title, Type: d.DocType, Level: d.Level, Date: d.Date, Summary: d.Summary,
			FrontMatter: shownFields(d), HTML: r.render(d, lines), Links: []string{}, Supersedes: []string{}, Amends: []string{},
		}
		standing := standings.Of(d.Path, today)
		if i >= len(set.Documents) {
			e.Type, e.External, standing = "external", true, ofExternal.Of(d.Path, today)
		}
		e.By, e.Mark = standing.Successor(), standing.Mark()
		if e.Date == "" {
			undated = append(undated, e.Path)
		}
		all, read, texts = append(all, e), append(read, d), append(texts, strings.Join(lines, "\n"))
	}
	r.addLinks(all, read)
	if len(undated) > 0 {
		committed := workspace.FirstCommits(ctx, p, undated)
		for i, e := range all {
			all[i].Date = cmp.Or(e.Date, committed[e.Path])
		}
	}
	changed := lastChanges(ctx, p)
	for i, e := range all {
		all[i].Changed = max(e.Date, changed[e.Path])
	}
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(b.Date, a.Date) })
	c.Documents, c.Stems, c.Pictures = all, stems(read, texts), r.pictures.urls
	return context.Cause(ctx)
}

// lastChanges maps a path to the day of the file's last change. An addition is no change. Without git it returns nil.
func lastChanges(ctx context.Context, p *project.Project) map[string]string {
	folder, err := history.Open(p.Root)
	if err != nil {
		return nil
	}
	changed, _ := folder.Changed(ctx, "HEAD", p.DocumentsRoot()) // after an error, some days are missing
	return changed
}

// shownFields returns the front matter of a document, with each trigger in the form in which the program reads it.
func shownFields(d *docset.Document) map[string]any {
	if len(d.Triggers) == 0 {
		return d.FrontMatter
	}
	fields := maps.Clone(d.FrontMatter)
	var triggers []any
	for _, t := range d.Triggers {
		if t.Scope == "" {
			triggers = append(triggers, t.String())
		}
	}
	if triggers != nil {
		fields[said.TriggersField] = triggers
	}
	return fields
}

// addLinks fills in Links, Supersedes and Amends of the entries, from the links between documents of the page. If two
// documents have a relation, Links leaves out links between these documents.
func (r *renderer) addLinks(entries []entry, documents []*docset.Document) {
	at := map[string]*entry{}
	for i := range entries {
		at[entries[i].Path] = &entries[i]
	}
	related := map[[2]string]bool{}
	for _, d := range documents {
		for _, link := range d.Links {
			target := r.resolve(d.Path, link)
			if target == d.Path || at[target] == nil {
				continue
			}
			from, to, relation := docset.Forward(at[d.Path], at[target], link.Relation)
			if relation != "" {
				related[[2]string{from.Path, to.Path}], related[[2]string{to.Path, from.Path}] = true, true
			}
			switch {
			case relation == "":
				from.Links = append(from.Links, to.Path)
			case relation == said.Supersedes && !slices.Contains(from.Supersedes, to.Path):
				from.Supersedes = append(from.Supersedes, to.Path)
			case relation == said.Amends && !slices.Contains(from.Amends, to.Path):
				from.Amends = append(from.Amends, to.Path)
			}
		}
	}
	for path, e := range at {
		e.Links = slices.DeleteFunc(e.Links, func(target string) bool { return related[[2]string{path, target}] })
	}
}
