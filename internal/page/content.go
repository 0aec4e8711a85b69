package page

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/lint"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/recall"
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
	Questions []question     `json:"questions"`
	Shown     []shown        `json:"shown"`
}

// entry is a document that can be indexed.
type entry struct {
	Path     string        `json:"path"`
	Title    string        `json:"title"`
	Type     string        `json:"type"`
	Level    catalog.Level `json:"level"`
	Date     string        `json:"date"`
	Summary  string        `json:"summary"`
	Tags     []string      `json:"tags"`
	Decision bool          `json:"decision"`
	// Fields are the rest of the front matter.
	Fields []field `json:"fields"`
	HTML   string  `json:"html"`
	// Links and Supersedes are the paths of other documents, By that of the latest one which
	// supersedes this one.
	Links      []string `json:"links"`
	Supersedes []string `json:"supersedes"`
	By         string   `json:"by"`
}

// field is a field of the front matter.
type field struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// question is one that found nothing.
type question struct {
	Text  string `json:"text"`
	Asked string `json:"asked"`
}

// shown says how often hooks have shown a document.
type shown struct {
	Path   string `json:"path"`
	Times  int    `json:"times"`
	Opened int    `json:"opened"`
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
			Tags: texts(d.FrontMatter["tags"]), Decision: isDecision(d), Fields: fields(d.FrontMatter), HTML: render(d, set, p),
			Links: []string{}, Supersedes: []string{}, By: latest[d.Path],
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

// isDecision reports whether a document records a decision: its front matter says so, or it is of a
// doc-type for decisions, or it is a record in a folder such as docs/adr, which says no more.
func isDecision(d *docset.Document) bool {
	knowledge, given := d.FrontMatter["knowledge_type"]
	return knowledge == "architecture_decision" || d.DocType == "codebase" && !given ||
		strings.Contains(d.DocType, "decision") || slices.Contains(strings.Split(d.DocType, "-"), "adr")
}

// fields returns the fields of the front matter that the page does not show by themselves.
func fields(frontMatter map[string]any) []field {
	found := []field{}
	for _, name := range slices.Sorted(maps.Keys(frontMatter)) {
		switch name {
		case "title", "date", "summary", "tags", "doc_type", "promotion_level", "related_docs", "supersedes":
			continue
		}
		if values := texts(frontMatter[name]); len(values) > 0 {
			found = append(found, field{name, values})
		}
	}
	return found
}

// texts returns the texts in a value of the front matter.
func texts(value any) []string {
	found := []string{}
	switch value := value.(type) {
	case nil:
	case []any:
		for _, element := range value {
			found = append(found, texts(element)...)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			found = append(found, name+": "+strings.Join(texts(value[name]), ", "))
		}
	default:
		found = append(found, fmt.Sprint(value))
	}
	return found
}

// readQuestions returns the questions that found nothing, the latest first.
func readQuestions(recalls *recall.Store, root string) []question {
	asked := recalls.Questions(root)
	questions := []question{}
	for _, text := range slices.SortedFunc(maps.Keys(asked), func(a, b string) int {
		return cmp.Or(asked[b].Compare(asked[a]), cmp.Compare(a, b))
	}) {
		questions = append(questions, question{text, asked[text].Format(time.DateOnly)})
	}
	return questions
}

// readShown returns the documents that hooks have shown, the most shown first.
func readShown(recalls *recall.Store, root string) ([]shown, error) {
	sessions, err := recalls.All()
	if err != nil {
		return nil, err
	}
	byPath := map[string]shown{}
	for _, session := range sessions {
		for _, one := range session.Shown {
			if one.Project != root {
				continue
			}
			d := byPath[one.Path]
			d.Path, d.Times = one.Path, d.Times+1
			if one.Opened {
				d.Opened++
			}
			byPath[one.Path] = d
		}
	}
	all := slices.AppendSeq([]shown{}, maps.Values(byPath))
	slices.SortFunc(all, func(a, b shown) int { return cmp.Or(b.Times-a.Times, cmp.Compare(a.Path, b.Path)) })
	return all, nil
}
