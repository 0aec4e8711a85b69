package lint

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/gitlog"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// Neighbours are the documents that are most like one that the next commit adds, the nearest
// first. They are ranked and not judged.
type Neighbours struct {
	Path string `json:"path"`
	Near []Near `json:"near"`
}

// Near is a document with the passage of it that is most like another document.
type Near struct {
	Path      string `json:"path"`
	Title     string `json:"title"`
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"`
	// Passage is its beginning.
	Passage string `json:"passage"`

	likeness float64
}

const (
	// maxNear is how many documents a writer can be asked to read.
	maxNear = 3
	// maxQuoted bounds a quoted passage, in characters.
	maxQuoted = 120
)

// Staged leaves of the findings those of documents that the next commit adds or changes, and
// says what is near those that it adds, by their words as they are in the working folder.
func (r *Report) Staged(ctx context.Context, p *project.Project) error {
	folder, err := gitlog.Open(filepath.Join(p.Root, filepath.FromSlash(p.DocsDir())))
	var staged map[string]bool
	if err == nil {
		staged, err = folder.Staged(ctx)
	}
	if err != nil {
		return fmt.Errorf("find what the next commit changes: %w", err)
	}
	inDocs := func(path string) string { return strings.TrimPrefix(path, p.DocsDir()+"/") }
	r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool {
		_, ok := staged[inDocs(f.Path)]
		return !ok
	})
	rare := rarity(r.set)
	r.Documents, r.Neighbours = 0, []Neighbours{}
	for _, d := range r.set.Documents {
		added, ok := staged[inDocs(d.Path)]
		if ok {
			r.Documents++
		}
		if !added || d.Err != nil {
			continue
		}
		related := func(other *docset.Document) bool { return other == d || replaces(d, other) }
		if near := nearest(r.set, d.Content, rare, related); len(near) > 0 {
			r.Neighbours = append(r.Neighbours, Neighbours{Path: d.Path, Near: near})
		}
	}
	return nil
}

// nearest returns the documents with the passages that are most like a document: by the
// cosine of their words, of which each weighs as much as it is rare. Those left out are not
// among them.
func nearest(set *docset.Set, content []byte, rare map[string]float64, leftOut func(*docset.Document) bool) []Near {
	gist, err := index.Gist(content)
	if err != nil {
		return nil
	}
	own := map[string]bool{}
	for _, word := range terms.Distinct(gist) {
		own[word] = true
	}
	var near []Near
	for _, other := range set.Documents {
		best := Near{Path: other.Path, Title: other.Title}
		for _, passage := range other.Passages {
			if likeness := cosineOfWords(own, passage.Terms, rare); likeness > best.likeness {
				best.likeness, best.StartLine, best.EndLine = likeness, passage.StartLine, passage.EndLine
				best.Passage = markdown.CutRunes(strings.Join(strings.Fields(passage.Text), " "), maxQuoted)
			}
		}
		if best.likeness > 0 && !leftOut(other) {
			near = append(near, best)
		}
	}
	slices.SortStableFunc(near, func(a, b Near) int { return cmp.Compare(b.likeness, a.likeness) })
	return near[:min(len(near), maxNear)]
}

// rarity returns the inverse document frequencies of the words of all passages.
func rarity(set *docset.Set) map[string]float64 {
	counts, passages := map[string]int{}, 0
	for _, d := range set.Documents {
		for _, p := range d.Passages {
			passages++
			for _, term := range p.Terms {
				counts[term]++
			}
		}
	}
	rare := make(map[string]float64, len(counts))
	for term, count := range counts {
		rare[term] = terms.IDF(count, passages)
	}
	return rare
}

// cosineOfWords returns the cosine of two texts by their distinct words.
func cosineOfWords(one map[string]bool, other []string, rarity map[string]float64) float64 {
	var both, ofOne, ofOther float64
	for word := range one {
		ofOne += rarity[word] * rarity[word]
	}
	for _, word := range other {
		square := rarity[word] * rarity[word]
		ofOther += square
		if one[word] {
			both += square
		}
	}
	if both == 0 {
		return 0
	}
	return both / math.Sqrt(ofOne*ofOther)
}
