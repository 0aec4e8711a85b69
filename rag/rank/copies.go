package rank

import (
	"cmp"
	"slices"

	"github.com/compound-docs/compound-docs/internal/document"
)

// withoutCopies keeps one of the documents that have the same bytes: one whose path the query names, otherwise one that
// holds, then the one with the shortest path.
func withoutCopies(q Question, candidates []Candidate) []Candidate {
	shown, paths := map[document.Hash]Hit{}, map[document.Hash][]string{}
	for _, c := range candidates {
		hash := c.Stamp.Hash
		if !slices.Contains(paths[hash], c.Path) {
			paths[hash] = append(paths[hash], c.Path)
		}
		if other, ok := shown[hash]; !ok || q.compareCopies(c.Hit, other) < 0 {
			shown[hash] = c.Hit
		}
	}
	var kept []Candidate
	for _, c := range candidates {
		if c.ID == shown[c.Stamp.Hash].ID {
			c.paths = paths[c.Stamp.Hash]
			kept = append(kept, c)
		}
	}
	return kept
}

// compareCopies orders documents that have the same bytes.
func (q Question) compareCopies(a, b Hit) int {
	return cmp.Or(
		compareTrue(slices.Contains(q.Named, a.Path), slices.Contains(q.Named, b.Path)),
		compareTrue(q.Standings.Of(a.Path, q.Today).Holds(), q.Standings.Of(b.Path, q.Today).Holds()),
		cmp.Compare(len(a.Path), len(b.Path)), cmp.Compare(a.Path, b.Path),
	)
}
