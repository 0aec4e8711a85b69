package catalog

import (
	"cmp"
	"math"
	"path/filepath"
	"slices"
	"time"
)

// Status says whether a document is in force ("holds"). The document itself or another document states the status.
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

// Holds reports whether the document is in force. A proposal counts as in force: many teams never change its status.
func (s Standing) Holds() bool { return s.Status == Proposed || s.Status.isActive() }

func (s Status) isActive() bool { return s == Active || s == History || s == "" }

// Successor returns the document to read before this one, "" for none.
func (s Standing) Successor() string { return cmp.Or(s.SupersededBy, s.AmendedBy) }

// Mark says in a few words why a reader must not rely on this document alone. It is "" if the reader can. The mark is
// shown wherever the document is named.
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

	// supersededBy has the latest replacement of a document, by the document's path. Documents in a circle have none.
	supersededBy map[string]string
	// latest has the last document of the chain of supersededBy that begins at a document, by the path of this document.
	latest map[string]string
	// generations has the length of the longest chain of replacements that begins at a document, by the document's path.
	generations map[string]int
	amending    map[string][]string
	said        map[string]Said
}

// NewStandings returns Standings. The keys of all three maps are paths of documents. said has what the document says of
// itself. replacing has the documents that replace it, and amending the documents that amend it, the latest first.
func NewStandings(said map[string]Said, replacing, amending map[string][]string) Standings {
	s := Standings{
		Replacing:    decided(replacing, said),
		supersededBy: map[string]string{}, latest: map[string]string{}, generations: map[string]int{},
		amending: decided(amending, said), said: said,
	}
	s.supersede()
	return s
}

// decided leaves out the documents that change nothing: a rejected document, and a proposal if the older document is
// not a proposal. If the older document itself says that it is superseded, all its later documents stay.
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

// Of returns the standing of the document at path on a day such as 2026-11-26. If today is "", no document expires.
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

// Paths selects the documents that have one of the statuses today. If Active is among the statuses, exclude has the
// paths of all other documents, and include is nil. Otherwise include has the paths of the selected documents, and
// exclude is nil. If there are no statuses, both are nil.
func (s Standings) Paths(statuses []Status, today string) (include, exclude []string) {
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
	include, exclude = []string{}, []string{}
	for path := range paths {
		status := s.Of(path, today).Status
		switch {
		case status.isActive():
		case slices.Contains(statuses, status):
			include = append(include, path)
		default:
			exclude = append(exclude, path)
		}
	}
	if slices.Contains(statuses, Active) {
		return nil, exclude
	}
	return include, nil
}

// Generations returns the length of the longest chain of replacements that begins at the document at path.
func (s Standings) Generations(path string) int { return s.generations[path] }

// Latest returns the path at the end of the chain of replacements that begins at path. The chain may be path alone.
func (s Standings) Latest(path string) string { return cmp.Or(s.latest[path], path) }

// supersede fills the maps that follow from Replacing. Documents that replace each other in a circle do not count as
// replaced: the command lint reports them.
func (s Standings) supersede() {
	later := s.Replacing
	// Tarjan's algorithm finds the circles. order has the number of each document in the sequence of the visits. lowest
	// has the lowest number on the stack of a document and its replacements, direct or over others.
	order, lowest := map[string]int{}, map[string]int{}
	var stack []string
	var visit func(path string)
	visit = func(path string) {
		order[path], lowest[path] = len(order)+1, len(order)+1
		stack = append(stack, path)
		longest := 0
		for _, replacing := range later[path] {
			if order[replacing] == 0 {
				visit(replacing)
			}
			lowest[path] = min(lowest[path], lowest[replacing])
			longest = max(longest, s.generations[replacing])
		}
		if lowest[path] < order[path] {
			return
		}
		isCircle := stack[len(stack)-1] != path || slices.Contains(later[path], path)
		for lowest[path] != math.MaxInt {
			lowest[stack[len(stack)-1]] = math.MaxInt
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
