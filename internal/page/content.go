package page

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/lint"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// content is what the page shows. page.js reads it.
type content struct {
	Project   string         `json:"project"`
	Made      string         `json:"made"`
	Documents []entry        `json:"documents"`
	Findings  []lint.Finding `json:"findings"`
	Notes     []string       `json:"notes"`
	// Questions are those that found nothing, with when each was asked last.
	Questions map[string]time.Time `json:"questions"`
	// Shown says how often hooks have shown documents, by path.
	Shown map[string]int `json:"shown"`
}

// entry is a document that can be indexed.
type entry struct {
	Path        string         `json:"path"`
	Title       string         `json:"title"`
	Type        string         `json:"type"`
	Level       catalog.Level  `json:"level"`
	Date        string         `json:"date"`
	Summary     string         `json:"summary"`
	FrontMatter map[string]any `json:"front_matter"`
	HTML        string         `json:"html"`
	// Links and Supersedes are paths. By is that of the latest document that supersedes this one.
	Links      []string `json:"links"`
	Supersedes []string `json:"supersedes"`
	By         string   `json:"by"`
}

// entries returns the documents that can be indexed, the latest first.
func entries(ctx context.Context, p *project.Project, set *docset.Set) []entry {
	_, latest := set.Superseded()
	all, undated := []entry{}, []string{}
	for _, d := range set.Documents {
		if d.Err != nil {
			continue
		}
		e := entry{
			Path: d.Path, Title: d.Title, Type: d.DocType, Level: d.Level, Date: d.Date, Summary: d.Summary,
			FrontMatter: d.FrontMatter, HTML: render(d, set, p), Links: []string{}, Supersedes: []string{}, By: latest[d.Path],
		}
		for _, target := range d.Targets {
			switch {
			case target.Document == nil || target.Document == d:
			case target.Supersedes:
				e.Supersedes = append(e.Supersedes, target.Path)
			default:
				e.Links = append(e.Links, target.Path)
			}
		}
		if e.Date == "" {
			undated = append(undated, e.Path)
		}
		all = append(all, e)
	}
	if len(undated) > 0 {
		committed := workspace.FirstCommits(ctx, p, undated)
		for i, e := range all {
			all[i].Date = cmp.Or(e.Date, committed[e.Path])
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(b.Date, a.Date) })
	return all
}
