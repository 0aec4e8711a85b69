package rag

import "slices"

// filter says which documents a list of candidates is of, and how long it is.
type filter struct {
	scope    Scope
	docTypes []string
	levels   []Level
	// eachPassage makes a list of passages; otherwise it has each document once.
	eachPassage bool
	// wanted is how many the caller wants in the end, limit how long the list may be.
	wanted, limit int32
}

// roomForSuperseded is by how much a list is longer than the result at least. Of
// documents with the same text and vector the one that replaces the others may be the
// last that a search finds.
const roomForSuperseded = 10

// newFilter lets those of the levels through that the query asks for. Where two kinds
// of evidence decide, a list is longer than the result: what leads in one may be far
// down in the other.
func newFilter(scope Scope, query Query, levels []Level) filter {
	f := filter{scope: scope, levels: slices.Clone(levels), wanted: int32(query.Limit)}
	f.limit = f.wanted + roomForSuperseded
	if query.Mode != Vector {
		// On Cranfield and CACM lists of fifty and of a hundred give the same results.
		const factor, least = 2, 50
		f.limit = max(factor*f.wanted, least)
	}
	if len(query.Levels) > 0 {
		f.levels = slices.DeleteFunc(f.levels, func(level Level) bool { return !slices.Contains(query.Levels, level) })
	}
	if len(query.DocTypes) > 0 {
		f.docTypes = query.DocTypes
	}
	return f
}

// promoted reports whether no document of the standard level passes.
func (f filter) promoted() bool { return !slices.Contains(f.levels, Standard) }

// candidateLimit is how many passages a scan of vectors looks for at first. It is
// larger than the number of results, since several passages may be of one document
// and the order of a scan is relaxed. Where the filter matches few passages the scan
// looks for fewer, since it meets many others for each.
func (f filter) candidateLimit() int32 {
	if f.docTypes != nil || f.promoted() && len(f.levels) == 1 {
		const factor, least = 2, 20
		return max(factor*f.wanted, f.limit, least)
	}
	const factor, least = 4, 40
	return max(factor*f.wanted, 2*f.limit, least)
}
