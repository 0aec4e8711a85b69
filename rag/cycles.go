package rag

import (
	"context"
	"slices"
	"strings"
)

// Bounds on what is logged of the cycles in one version of a link graph.
const (
	maxLoggedCycles = 10
	maxCyclePaths   = 20
)

// newCycles returns the cycles that are not among those before.
func newCycles(before, cycles [][]string) [][]string {
	return slices.DeleteFunc(slices.Clone(cycles), func(cycle []string) bool {
		return slices.ContainsFunc(before, func(other []string) bool { return slices.Equal(cycle, other) })
	})
}

// warnOfCycles logs cycles of links. They do no harm, because each document is visited
// once. They are logged because writers seldom want them.
func (s *Searcher) warnOfCycles(ctx context.Context, tenant *Tenant, cycles [][]string) {
	for _, cycle := range cycles[:min(len(cycles), maxLoggedCycles)] {
		shown := cycle[:min(len(cycle), maxCyclePaths)]
		s.logger.WarnContext(ctx, "documents link in a circle; each is followed once",
			"project", tenant.Key.Project, "branch", tenant.Key.Branch,
			"documents", len(cycle)-1, "paths", strings.Join(shown, " -> "))
	}
	if more := len(cycles) - maxLoggedCycles; more > 0 {
		s.logger.WarnContext(ctx, "more documents link in circles", "project", tenant.Key.Project,
			"branch", tenant.Key.Branch, "circles", more)
	}
}

// cyclesOf returns a shortest cycle for each component in which documents link to one
// another. It goes through the component's first document, which stands at both ends.
// The cycles are sorted.
func cyclesOf(neighbours map[string][]string, components [][]string) [][]string {
	cycles := [][]string{}
	for _, component := range components {
		inside := make(map[string]bool, len(component))
		for _, path := range component {
			inside[path] = true
		}
		if cycle := shortestCycle(neighbours, inside, slices.Min(component)); cycle != nil {
			cycles = append(cycles, cycle)
		}
	}
	slices.SortFunc(cycles, slices.Compare[[]string])
	return cycles
}

// shortestCycle returns a shortest path from start back to start over the documents
// inside, nil if there is none.
func shortestCycle(neighbours map[string][]string, inside map[string]bool, start string) []string {
	from := map[string]string{}
	frontier := []string{start}
	for len(frontier) > 0 {
		var next []string
		for _, source := range frontier {
			for _, target := range neighbours[source] {
				if target == start {
					return wayTo(from, start, source)
				}
				if _, seen := from[target]; inside[target] && !seen {
					from[target] = source
					next = append(next, target)
				}
			}
		}
		frontier = next
	}
	return nil
}

// wayTo returns the path from start to last, with start again at its end.
func wayTo(from map[string]string, start, last string) []string {
	way := []string{start}
	for at := last; at != start; at = from[at] {
		way = append(way, at)
	}
	way = append(way, start)
	slices.Reverse(way)
	return way
}
