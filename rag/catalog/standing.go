package catalog

import (
	"cmp"
	"math"
	"path/filepath"
	"slices"
	"time"
)

// Status says whether a document is in force ("holds"), by its own words or by those of another document.
type Status string

// The statuses. The zero value is for a document whose status nobody states. It counts as Active.
const (
	Active     Status = "active"
	Proposed   Status = "proposed"
	Rejected   Status = "rejected"
	Deprecated Status = "deprecated"
	Replaced   Status = "superseded"
	Expired    Status = "expired"
	// History is the status of a changelog. A changelog holds, but documents about the present come first.
	History Status = "history"
)

// Statuses returns the statuses that a search can ask for, Active first.
func Statuses() []Status { return []Status{Active, Proposed, Rejected, Deprecated, Replaced, Expired} }

// Standing says whether a document still holds, and which other documents matter for this.
type Standing struct {
	Status Status
	// SupersededBy and AmendedBy are the paths of the latest documents that replace and amend this one, "" for none.
	// Another document may replace these documents in turn.
	SupersededBy, AmendedBy string
	// Newer is the path of a later document on the same subject, "" for none. Only a search sets it, because neither
	// document names the other.
	Newer string
	// Until is the last day on which the document holds, "" for ever.
	Until string
}

// Holds reports whether what the document says is in force. A proposal holds: many teams never change its status.
func (s Standing) Holds() bool { return s.Status == Proposed || s.Status.isActive() }

func (s Status) isActive() bool { return s == Active || s == History || s == "" }

// Successor returns the document to read before this one, "" for none.
func (s Standing) Successor() string { return cmp.Or(s.SupersededBy, s.AmendedBy) }

// Mark says in a few words why a reader must not rely on the document alone, "" without a reason. It is shown wherever
// the document is named.
func (s Standing) Mark() string {
	switch {
	case s.SupersededBy != "":
		return "superseded by " + Shown(s.SupersededBy)
	case s.Status == Expired && s.Until != "":
		return "expired " + s.Until
	case !s.Status.isActive():
		return string(s.Status)
	case s.AmendedBy != "":
		return "amended by " + Shown(s.AmendedBy)
	case s.Newer != "":
		return "newer: " + Shown(s.Newer)
	default:
		return ""
	}
}

// Shown returns the path of a document as users see it: with ./ in front in the repository, absolute outside.
func Shown(document string) string {
	if document == "" || filepath.IsAbs(filepath.FromSlash(document)) {
		return document
	}
	return "./" + document
}

// Said is what a document says of itself: its status, and the last day on which it holds.
type Said struct {
	Status Status
	Until  string
}

// Standings says which of a collection's documents hold. The zero value says that all of them do.
type Standings struct {
	// Replacing has the paths of the documents that replace a document, by its path, the latest first.
	Replacing map[string][]string

	// supersededBy has the latest document that replaces a document, by its path. A document in a circle has none.
	supersededBy map[string]string
	// latest has the end of the chain in which each supersededBy leads to the next document, by the path of the first.
	latest map[string]string
	// generations has the length of the longest chain of documents that replace a document one after the other.
	generations map[string]int
	amending    map[string][]string
	said        map[string]Said
}

// NewStandings returns Standings. said has what each document says of itself, by its path. replacing and amending have
// the documents that replace and amend a document, by the path of this document, the latest first.
func NewStandings(said map[string]Said, replacing, amending map[string][]string) Standings {
	s := Standings{
		Replacing:    decided(replacing, said),
		supersededBy: map[string]string{}, latest: map[string]string{}, generations: map[string]int{},
		amending: decided(amending, said), said: said,
	}
	s.supersede()
	return s
}

// decided leaves out later documents that are not in force. A rejected document changes nothing, and a proposal changes
// only other proposals. Both kinds count if the older document itself says that it is superseded.
func decided(later map[string][]string, said map[string]Said) map[string][]string {
	counting := make(map[string][]string, len(later))
	for older, all := range later {
		for _, path := range all {
			undecided := said[path].Status == Rejected || said[path].Status == Proposed && said[older].Status != Proposed
			if !undecided || said[older].Status == Replaced {
				counting[older] = append(counting[older], path)
			}
		}
	}
	return counting
}

// Today returns the present day in UTC, such as 2026-11-26. It decides whether a document has expired.
func Today() string { return time.Now().UTC().Format(time.DateOnly) }

// Of returns the standing of the document at path on a day such as 2026-11-26. With "" for today, no document expires.
func (s Standings) Of(path, today string) Standing {
	said := s.said[path]
	standing := Standing{Status: said.Status, SupersededBy: s.supersededBy[path], Until: said.Until}
	if by := s.amending[path]; len(by) > 0 {
		standing.AmendedBy = by[0]
	}
	switch {
	case standing.SupersededBy != "":
		standing.Status = Replaced
	case !standing.Holds():
	case said.Until != "" && said.Until < today:
		standing.Status = Expired
	}
	return standing
}

// Paths says which documents have one of the statuses today. If Active is among the statuses, without has the paths of
// all documents that have none of the statuses, and only is nil. Otherwise only has the paths of the documents that
// have one, and without is nil. Both are nil if statuses is empty.
func (s Standings) Paths(statuses []Status, today string) (only, without []string) {
	if len(statuses) == 0 {
		return nil, nil
	}
	paths := map[string]bool{}
	for path := range s.supersededBy {
		paths[path] = true
	}
	for path := range s.said {
		paths[path] = true
	}
	only, without = []string{}, []string{}
	for path := range paths {
		status := s.Of(path, today).Status
		switch {
		case status.isActive():
		case slices.Contains(statuses, status):
			only = append(only, path)
		default:
			without = append(without, path)
		}
	}
	if slices.Contains(statuses, Active) {
		return nil, without
	}
	return only, nil
}

// Generations returns the length of the longest chain of documents that replace the one at path, one after the other.
func (s Standings) Generations(path string) int { return s.generations[path] }

// Latest returns the path of the last document in the chain that replaces the one at path, or path without a chain.
func (s Standings) Latest(path string) string { return cmp.Or(s.latest[path], path) }

// supersede fills the maps that follow from Replacing. Documents that replace each other in a circle do not count as
// replaced: the command lint reports them.
func (s Standings) supersede() {
	later := s.Replacing
	// Tarjan's algorithm finds the circles. order numbers the documents as they are visited. first has the lowest number
	// of a document on the stack that replaces a document, directly or over others.
	order, first := map[string]int{}, map[string]int{}
	var stack []string
	var visit func(path string)
	visit = func(path string) {
		order[path], first[path] = len(order)+1, len(order)+1
		stack = append(stack, path)
		longest := 0
		for _, replacing := range later[path] {
			if order[replacing] == 0 {
				visit(replacing)
			}
			first[path] = min(first[path], first[replacing])
			longest = max(longest, s.generations[replacing])
		}
		if first[path] < order[path] {
			return
		}
		isCircle := stack[len(stack)-1] != path || slices.Contains(later[path], path)
		for first[path] != math.MaxInt {
			first[stack[len(stack)-1]] = math.MaxInt
			stack = stack[:len(stack)-1]
		}
		if !isCircle && len(later[path]) > 0 {
			next := later[path][0]
			s.generations[path], s.supersededBy[path], s.latest[path] = longest+1, next, cmp.Or(s.latest[next], next)
		}
	}
	for path := range later {
		if order[path] == 0 {
			visit(path)
		}
	}
}
